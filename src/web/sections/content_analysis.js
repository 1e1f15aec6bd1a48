import { counted, NONE, quote, quoteOr, standIn } from './section.js'

/** @type {(section: any) => import('./section.js').Sentence} */
function summarise(section) {
  const { title, forms, word_count, truncated } = section
  const other = standIn(section)
  if (other !== null) return [other]
  if (forms === null) return ['The answer is not an HTML page, so there is no text to read.']
  const untitled = truncated ? 'The title of the page is unknown' : 'The page has no title'
  const named = title === null ? [untitled] : ['The page title is “', quote(title), '”']
  const asks = forms.with_password > 0 || forms.password_outside ? '; it asks for a password' : ''
  return [...named, word_count === null ? `${asks}.` : `${asks}. It has ${counted(word_count, 'word')}.`]
}

/** Of a page that was read in part, a count that says none is null. @type {(forms: { total: number | null, with_password: number | null } | null) => import('./section.js').Value} */
function formFact(forms) {
  if (forms === null || forms.total === null) return null
  const { total, with_password } = forms
  if (total === 0) return NONE
  if (with_password === null) return `${total}; whether others ask for a password is unknown`
  return with_password === 0 ? total : `${total}, ${with_password} of them with a password`
}

/** @type {import('./section.js').Section} */
export const content_analysis = {
  title: 'Page content',
  looks: 'the content of the page, its forms and contacts, and signs of phishing',
  describe(section, isWhole) {
    const { evaluated_url, status_code, redirects, description, language, emails, phones, social_links } = section
    const isRead = section.forms !== null
    /** @type {import('./section.js').Value} */
    const absent = isRead && isWhole && !section.truncated ? NONE : null
    return {
      summary: summarise(section),
      ...(isRead ? {} : { score: null }),
      facts: [
        ['Page', quote(evaluated_url)],
        ['Status', status_code],
        ['Redirects', redirects?.map((/** @type {{ url: string }} */ { url }) => url) ?? null],
        ...(section.truncated ? [/** @type {const} */ (['Read', 'only the beginning of the page'])] : []),
        ['Description', quoteOr(description, absent)],
        ['Language', language ?? absent],
        ['E-mail', emails],
        ['Telephone', phones],
        ['Profiles', social_links],
        ['Forms', formFact(section.forms)],
      ],
    }
  },
}

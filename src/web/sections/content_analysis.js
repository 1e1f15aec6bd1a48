import { counted, quote, standIn } from './section.js'

/** @type {(section: any) => import('./section.js').Sentence} */
function summarise(section) {
  const { title, forms, word_count } = section
  const other = standIn(section)
  if (other !== null) return [other]
  const named = title === null ? ['The page has no title'] : ['The page calls itself “', quote(title), '”']
  const asks = forms?.with_password > 0 || forms?.password_outside ? ' and asks for a password' : ''
  const size = word_count === null ? '' : ` It has ${counted(word_count, 'word')}.`
  return [...named, `${asks}.${size}`]
}

/** @type {(forms: { total: number, with_password: number }) => string} */
const formFact = ({ total, with_password }) =>
  with_password === 0 ? `${total === 0 ? 'none' : total}` : `${total}, ${with_password} of them with a password`

/** @type {import('./section.js').Section} */
export const content_analysis = {
  title: 'What the page says',
  looks: 'what the page shows its visitors, what it asks of them, and the traits of phishing',
  tell(section) {
    const { evaluated_url, status_code, redirects, description, language, emails, phones, social_links, forms } =
      section
    return {
      summary: summarise(section),
      facts: [
        ['Page', quote(evaluated_url)],
        ['Status', status_code],
        ['Redirects', redirects.map((/** @type {{ url: string }} */ { url }) => url)],
        ['Description', description === null ? null : quote(description)],
        ['Language', language],
        ['E-mail', emails],
        ['Telephone', phones],
        ['Profiles', social_links],
        ['Forms', forms === null ? null : formFact(forms)],
      ],
    }
  },
}

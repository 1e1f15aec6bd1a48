// content_analysis, also called site_content: what the page says, how to reach who is behind it, and what is suspicious
// about it.
import { analyzer, servedFields, Type, withServed } from '../../src/engine/plugin.ts'
import { seeForms } from './forms.ts'
import { findRefresh } from './refresh.ts'
import { describe, nothing, Section } from './section.ts'
import { signals } from './signals.ts'
import { resolveUrl } from './text.ts'
import { findSignals } from './traits.ts'

const Options = Type.Object(
  {
    brands: Type.Array(
      Type.Object(
        {
          brand: Type.String({ minLength: 1, maxLength: 64 }),
          names: Type.Array(Type.String({ minLength: 3, maxLength: 64 }), { minItems: 1, maxItems: 20 }),
          domains: Type.Array(Type.String({ minLength: 3, maxLength: 253 }), { minItems: 1, maxItems: 100 }),
        },
        { additionalProperties: false },
      ),
      { default: [], maxItems: 100, description: 'Brands to recognise in titles, beside the built-in ones.' },
    ),
  },
  { additionalProperties: false },
)

export default analyzer({
  name: 'content_analysis',
  description: 'Title, description, contacts, profiles and forms of the page, and the traits of phishing.',
  targets: ['domain', 'ip'],
  needs: ['served'],
  wants: ['document'],
  schema: Section,
  options: Options,
  signals,
  aliases: ['site_content'],
  analyze({ served, document }, { options }) {
    const response = servedFields(served)
    if (!response.ok) return { ...response.finding, signals: [] }
    if (document === null) return { unavailable: 'no_document' }
    const { fields, unseen } = response
    const parked = served.kind === 'parking' ? [parkedBy(served.rule)] : []
    const page = resolveUrl(document.url, fields.evaluated_url)
    if (!document.is_html || page === null) return { section: withServed(fields, nothing), signals: parked, ...unseen }
    const forms = seeForms(document)
    const refresh = findRefresh(document)
    const found = findSignals({ page, document, forms, refresh, brands: options.brands }, fields.blocked)
    const described = fields.blocked ? nothing : describe(document, forms, refresh)
    return { section: withServed(fields, described), signals: [...found, ...parked], ...unseen }
  },
})

const parkedBy = (rule: string | null) =>
  ({ id: 'parked_domain', detail: `It was recognised by the rule ${rule}.`, evidence: { rule } }) as const

// How people see the section.
import {
  type Fact,
  labelsOf,
  type Presentation,
  quote,
  type Remark,
  series,
  share,
  type Table,
  type Value,
  words,
} from '../../src/engine/plugin.ts'
import { fixesFor } from './fixes.ts'
import { Section } from './section.ts'
import { headerSignals } from './signals.ts'

const label = labelsOf(Section)

const judgements = [
  'https',
  'hsts',
  'csp',
  'x_frame_options',
  'x_content_type_options',
  'referrer_policy',
  'permissions_policy',
  'coop',
  'coep',
  'corp',
  'cors',
] as const
type HeaderName = (typeof judgements)[number]
type JudgedHeader = NonNullable<Section[HeaderName]>

/** Signals whose advice says what the recommendation of the field says. */
const signalsOf = (name: HeaderName): readonly string[] => [
  ...(name === 'https' ? ['no_tls'] : []),
  ...(name in headerSignals ? Object.keys(headerSignals[name as keyof typeof headerSignals]) : []),
]

const standings: Readonly<Record<string, string>> = {
  pass: 'good',
  warn: 'could be better',
  fail: 'missing or ineffective',
}

const sentValue = (judgement: JudgedHeader): string | null => ('value' in judgement ? judgement.value : null)

function fact(section: Section, name: HeaderName): Fact {
  const judgement = section[name]
  if (judgement === null) return [label[name], null]
  return [label[name], standings[judgement.status ?? ''] ?? 'does not apply']
}

/** The headers as sent. */
function headerTable(section: Section): readonly Table[] {
  const rows = judgements.flatMap((name): readonly (readonly Value[])[] => {
    const judgement = section[name]
    const value = judgement === null ? null : sentValue(judgement)
    return value === null ? [] : [[label[name], quote(value)]]
  })
  return rows.length === 0 ? [] : [{ title: 'As sent', columns: ['Header', 'Value'], rows }]
}

function policyTable({ csp }: Section): readonly Table[] {
  const rows = (csp?.findings ?? []).map(({ severity, directive, source, message }) => [
    words(severity),
    quote(source === null ? directive : `${directive} ${source}`),
    quote(message),
  ])
  return rows.length === 0
    ? []
    : [{ title: 'Findings in the Content-Security-Policy', columns: ['Severity', 'Where', 'Finding'], rows }]
}

const remarksOf = (section: Section): readonly Remark[] =>
  judgements.flatMap(name => {
    const judgement = section[name]
    if (judgement === null || judgement.recommendation === null) return []
    const severity = judgement.status === 'fail' ? 'low' : 'info'
    const signals = signalsOf(name)
    return [{ text: judgement.recommendation, severity, ...(signals.length > 0 && { signals }) }]
  })

/** The rules behind what is judged. */
const sources = [
  {
    label: 'OWASP: HTTP headers cheat sheet',
    url: 'https://cheatsheetseries.owasp.org/cheatsheets/HTTP_Headers_Cheat_Sheet.html',
  },
  { label: 'HSTS (RFC 6797)', url: 'https://www.rfc-editor.org/rfc/rfc6797' },
  { label: 'Content-Security-Policy (MDN)', url: 'https://developer.mozilla.org/docs/Web/HTTP/Guides/CSP' },
  {
    label: 'Permissions-Policy (MDN)',
    url: 'https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Permissions-Policy',
  },
] as const

export const presentation: Presentation<Section> = {
  title: 'Security headers',
  looks: 'the response headers that protect visitors in their browsers',
  order: 80,
  describe(section, { domain }) {
    const { grade, score, leaks, subresource_integrity } = section
    const names = judgements.filter(name => section[name] !== null)
    const unknownHeaders = judgements.filter(name => section[name] === null)
    const failures = names.filter(name => section[name]?.status === 'fail').map(name => label[name])
    const which =
      failures.length === 0 ? 'no protection is' : `${series(failures)} ${failures.length === 1 ? 'is' : 'are'}`
    const own = `Grade ${grade} (${score} of 100): ${which} missing or ineffective.`
    return {
      summary: [grade === null ? 'A part of what is graded was not seen, so there is no grade.' : own],
      score,
      facts: [
        ...[...names, ...unknownHeaders].map(name => fact(section, name)),
        ...(subresource_integrity === null
          ? []
          : [
              [
                label.subresource_integrity,
                share(
                  subresource_integrity.with_integrity,
                  subresource_integrity.third_party_scripts,
                  'no third-party scripts',
                ),
              ] as const,
            ]),
        [label.leaks, leaks?.map(({ name, value }) => `${name}: ${value}`) ?? null],
        [label.evaluated_url, quote(section.evaluated_url)],
      ],
      tables: [...headerTable(section), ...policyTable(section)],
      remarks: remarksOf(section),
      links: sources,
      fixes: fixesFor(section, domain),
    }
  },
}

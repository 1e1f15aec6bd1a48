// Classifies a cookie by its name: first by documented names of frameworks and services, then by common words.
import { dataFile, type Static, TextList, Type } from '../../src/engine/plugin.ts'
import data from './data/kinds.json' with { type: 'json' }

/** What cookies are for. */
export const kinds = ['session', 'csrf', 'analytics', 'consent', 'other'] as const
export type CookieKind = (typeof kinds)[number]

export const KindsFile = dataFile({
  documented: Type.Array(
    Type.Object({ kind: Type.Enum([...kinds]), names: TextList }, { additionalProperties: false }),
    {
      minItems: 1,
      description:
        'Names in lower case. Exact names win; otherwise the first match of `x*` (prefix), `*x` (suffix) and `*x*` (substring).',
    },
  ),
  session_words: TextList,
  no_session_words: TextList,
  session_pairs: TextList,
})
const { documented, session_words, no_session_words, session_pairs } = data as Static<typeof KindsFile>

const SESSION_WORDS: ReadonlySet<string> = new Set(session_words)
/** Each excludes a session: `session_language` holds a language, `session-affinity` a server. */
const NO_SESSION_WORDS: ReadonlySet<string> = new Set(no_session_words)
/** Pairs of words that together mean a session. */
const SESSION_PAIRS: ReadonlySet<string> = new Set(session_pairs)

/** Splits at punctuation and at capitals: `JSESSIONID`, `user-session`, `accessToken`. */
const tokensOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map(token => token.replace(/^(?:php|asp|aspnet|my|j)(?=sess)|\d+$/g, ''))
    .filter(token => token !== '')

function isSession(name: string): boolean {
  const tokens = tokensOf(name)
  if (tokens.some(token => NO_SESSION_WORDS.has(token))) return false
  const isWord = (token: string): boolean =>
    SESSION_WORDS.has(token) || /^s?sess(?:ion)?(?:id|key|token|hash|[0-9a-f]{3,})?$/.test(token)
  return (
    tokens.some(token => isWord(token) || /(?<!ob|pos)(?:session|sessid|sessionid)$/.test(token)) ||
    tokens.some((token, at) => SESSION_PAIRS.has(`${token}_${tokens[at + 1] ?? ''}`))
  )
}

interface KindPattern {
  readonly kind: CookieKind
  readonly text: string
  readonly fits: (name: string, text: string) => boolean
}

const begins: KindPattern['fits'] = (name, text) => name.startsWith(text)
const ends: KindPattern['fits'] = (name, text) => name.endsWith(text)
const contains: KindPattern['fits'] = (name, text) => name.includes(text)

const rows = documented.flatMap(({ kind, names }) => names.map(name => ({ kind, written: name })))
const whole = new Map(rows.filter(({ written }) => !written.includes('*')).map(({ kind, written }) => [written, kind]))
const patterns = rows.filter(({ written }) => written.includes('*')).map(patternOf)

function patternOf({ kind, written }: { kind: CookieKind; written: string }): KindPattern {
  const open = written.startsWith('*')
  const tail = written.endsWith('*')
  const text = written.slice(open ? 1 : 0, tail ? -1 : undefined)
  return { kind, text, fits: open ? (tail ? contains : ends) : begins }
}

/** Only this many characters of a name are read. */
const LOOKED_AT = 128

/** Prefixes such as `__Host-` describe how a cookie is set, not its purpose. */
export function kindOf(name: string): CookieKind {
  const bare = name.slice(0, LOOKED_AT).replace(/^__(?:host-http|host|http|secure)-/i, '')
  const lowerName = bare.toLowerCase()
  const kind = whole.get(lowerName) ?? patterns.find(({ text, fits }) => fits(lowerName, text))?.kind
  return kind ?? (isSession(bare) ? 'session' : 'other')
}

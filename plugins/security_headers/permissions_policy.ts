// Permissions-Policy (W3C Permissions Policy section 5.2): a structured dictionary of features and their allowlists.
import { type Item, isInnerList, parseDictionary, Token } from 'structured-headers'
import { nullable, printable, type Static, Type } from '../../src/engine/plugin.ts'
import { displayText, type Headers, linesOf } from './fields.ts'
import { type HeaderJudgement, judgedObject } from './judgement.ts'

export const PermissionsPolicy = judgedObject('Which features of the browser the page may use.', {
  features: nullable(
    Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'Name of the feature.' }),
          allow: Type.Array(Type.String(), { description: '`*`, `self`, `src` or origins.' }),
        },
        { additionalProperties: false },
      ),
      { description: 'At most 50; null if browsers ignore the header.' },
    ),
  ),
})

type PolicyFeature = NonNullable<Static<typeof PermissionsPolicy>['features']>[number]

const MAX_ENTRIES = 50
/** Only this many characters are read: ten times the longest in use. */
const HEADER_LENGTH = 16 * 1024

/** Judges Permissions-Policy; restricting one feature earns the whole share. */
export function judgePermissionsPolicy(headers: Headers): HeaderJudgement<Static<typeof PermissionsPolicy>> {
  const lines = linesOf(headers, 'permissions-policy')
  const features = lines.length === 0 ? null : parsePermissionsPolicy(lines.join(', ').slice(0, HEADER_LENGTH))
  const restricts = features?.some(({ allow }) => !allow.includes('*')) ?? false
  const section = {
    present: lines.length > 0,
    value: displayText(lines),
    features: features?.slice(0, MAX_ENTRIES) ?? null,
    status: restricts ? ('pass' as const) : lines.length > 0 ? ('fail' as const) : ('warn' as const),
    recommendation: restricts ? null : recommend(lines.length > 0, features),
  }
  return { section, share: restricts ? 1 : 0 }
}

/** Null if it is not a dictionary (RFC 9651 section 4.2); browsers then ignore the whole header. */
export function parsePermissionsPolicy(field: string): readonly PolicyFeature[] | null {
  try {
    return [...parseDictionary(field)].map(([name, member]) => {
      const items = isInnerList(member) ? member[0] : [member]
      return { name: printable(name, 128), allow: items.slice(0, MAX_ENTRIES).flatMap(allowlistOf) }
    })
  } catch {
    return null
  }
}

function allowlistOf([value]: Item): string[] {
  if (value instanceof Token) return [printable(value.toString(), 128)]
  return typeof value === 'string' ? [printable(value, 128)] : []
}

function recommend(present: boolean, features: readonly PolicyFeature[] | null): string {
  if (!present)
    return 'Send Permissions-Policy with the features that the page does not need: camera=(), microphone=(), geolocation=().'
  return features === null
    ? 'Fix the header: it is not a structured dictionary, so browsers ignore it.'
    : 'Restrict features: this policy allows every origin to use every listed feature.'
}

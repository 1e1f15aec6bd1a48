// The schema of a fingerprint: name, category, and the patterns that identify a technology.
import { nullable, type Static, Type } from '../../src/engine/plugin.ts'
import { categories } from './categories.ts'

/**
 * Places where patterns are matched. `resource`: URLs of scripts, frames and `<link>`s (the confidence of a match
 * depends on the relation and the site, see provenance.ts); `form`: where forms go; `field`: names and ids of their
 * fields; `file`: the last path segment of a loaded file, with its
 * query; `package`: `name@version` from URLs of public package CDNs; `inline`: inline scripts; `spf`: names that the
 * SPF record refers to. The names of the other places explain themselves.
 */
export const places = [
  'header',
  'cookie',
  'meta',
  'resource',
  'file',
  'package',
  'form',
  'field',
  'inline',
  'class',
  'id',
  'attribute',
  'element',
  'comment',
  'cname',
  'ns',
  'mx',
  'txt',
  'spf',
] as const
export type CluePlace = (typeof places)[number]

/** `within`: the host of the URL, or the name, equals `text` or is below it. */
const hows = ['is', 'starts', 'ends', 'has', 'within'] as const
export type How = (typeof hows)[number]

/** Matched without regard to the case of ASCII letters. */
export const CluePattern = Type.Object(
  {
    in: Type.Enum([...places]),
    name: Type.String({ default: '', maxLength: 64, description: 'Name of the header or meta element, lower case.' }),
    how: Type.Enum([...hows], { default: 'has' }),
    text: Type.String({
      default: '',
      maxLength: 128,
      description: 'Printable ASCII. Empty matches any header or meta element of that name.',
    }),
    path: Type.String({ default: '', maxLength: 128, description: 'What the URL must contain after the match.' }),
    exact_case: Type.Boolean({ default: false, description: 'The case of letters counts in `text`.' }),
    version: nullable(Type.String({ maxLength: 32 }), {
      default: null,
      description:
        'Text shortly after the match that precedes the version; "" if the version follows the match directly.',
    }),
    version_required: Type.Boolean({ default: false, description: 'Matches only with a version.' }),
    confidence: Type.Integer({ default: 100, minimum: 1, maximum: 100 }),
  },
  {
    additionalProperties: false,
    required: ['in'],
    if: { properties: { in: { enum: ['header', 'meta'] } } },
    // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword
    then: { required: ['name'], properties: { name: { minLength: 1 } } },
    else: { required: ['text'], properties: { text: { minLength: 1 }, name: { maxLength: 0 } } },
  },
)
export type CluePattern = Static<typeof CluePattern>

/** A technology and the patterns that show it. */
export const Fingerprint = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 64 }),
    category: Type.Enum([...categories]),
    marks: Type.Array(CluePattern, {
      maxItems: 64,
      description: 'Each pattern identifies the technology; empty if it is only implied.',
    }),
    implies: Type.Array(Type.String({ maxLength: 64 }), {
      default: [],
      maxItems: 16,
      description: 'Names of technologies that it requires.',
    }),
  },
  { additionalProperties: false, required: ['name', 'category', 'marks'] },
)
export type Fingerprint = Static<typeof Fingerprint>

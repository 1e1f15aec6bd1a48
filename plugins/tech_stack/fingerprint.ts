// The shape of a fingerprint: what a technology is called, what it is, and what gives it away.
import { type Static, Type } from '../../src/engine/plugin.ts'
import { categories } from './categories.ts'

/**
 * Where a mark is looked for. `resource`: URLs of scripts, frames and `<link>`s that load something (in frames of other sites
 * no text that begins with a slash is sought); `file`: the last segment of these with their query; `package`: `name@version`
 * read from URLs of public package CDNs; `inline`: scripts in the page; `spf`: names that the SPF record defers to. The others
 * are named after what they are.
 */
export const places = [
  'header',
  'cookie',
  'meta',
  'resource',
  'file',
  'package',
  'form',
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
export type Place = (typeof places)[number]

/** `within`: the host of the URL, or the name, is `text` or below it. */
const hows = ['is', 'starts', 'ends', 'has', 'within'] as const
export type How = (typeof hows)[number]

/** Matched without regard to the case of ASCII letters. */
export const Mark = Type.Object(
  {
    in: Type.Enum([...places]),
    name: Type.String({ default: '', maxLength: 64, description: 'Of the header or meta, lower case.' }),
    how: Type.Enum([...hows], { default: 'has' }),
    text: Type.String({
      default: '',
      maxLength: 128,
      description: 'Printable ASCII. Empty: the header or meta is there.',
    }),
    version: Type.Union([Type.String({ maxLength: 32 }), Type.Null()], {
      default: null,
      description: 'The version follows this text, which comes soon after the match; "" right after it.',
    }),
    version_required: Type.Boolean({ default: false, description: 'Without a version it is no match.' }),
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
export type Mark = Static<typeof Mark>

export const Fingerprint = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 64 }),
    category: Type.Enum([...categories]),
    marks: Type.Array(Mark, { maxItems: 64, description: 'Each gives it away; none: it is only implied.' }),
    implies: Type.Array(Type.String({ maxLength: 64 }), {
      default: [],
      maxItems: 16,
      description: 'Names of technologies that it cannot do without.',
    }),
  },
  { additionalProperties: false, required: ['name', 'category', 'marks'] },
)
export type Fingerprint = Static<typeof Fingerprint>

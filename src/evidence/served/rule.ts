// The rules that recognise a response served in place of the page: their schema, and all of them.
import { type Static, Type } from 'typebox'
import { dataFile } from '../../base/data_file.ts'
import type { RecognisedKind } from './facts.ts'
import block from './rules/block.json' with { type: 'json' }
import challenge from './rules/challenge.json' with { type: 'json' }
import loginWall from './rules/login_wall.json' with { type: 'json' }
import parking from './rules/parking.json' with { type: 'json' }
import soft404 from './rules/soft_404.json' with { type: 'json' }

const closed = { additionalProperties: false } as const
const lowerCase = Type.String({ pattern: '^[^A-Z]+$' })
const oneOf = (description: string, member = lowerCase) =>
  Type.Optional(Type.Array(member, { minItems: 1, uniqueItems: true, description }))

const Conditions = Type.Object(
  {
    status: Type.Optional(Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), { minItems: 1, uniqueItems: true })),
    header: Type.Optional(
      Type.Array(
        Type.Unsafe<readonly [name: string, part: string]>({
          type: 'array',
          items: Type.String({ pattern: '^[^A-Z]*$' }),
          minItems: 2,
          maxItems: 2,
        }),
        { minItems: 1, description: 'Name and part of the value; "" matches any value.' },
      ),
    ),
    host: oneOf(
      'The final URL’s host or a parent domain, if the request started at another domain: the service’s own site is no match.',
    ),
    path: oneOf('A complete segment of the final URL’s path.'),
    redirected: Type.Optional(Type.Literal(true, { description: 'The response was reached by HTTP redirects alone.' })),
    password: Type.Optional(Type.Literal(true, { description: 'A form asks for a password.' })),
    title: oneOf('Anywhere in the title.'),
    text: oneOf('In the first part of the visible text.'),
    markup: oneOf('In the address of a script, frame, form, style sheet or refresh, or in an inline script.'),
    words: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Maximum words of visible text: such pages are short, and articles about them are long.',
      }),
    ),
  },
  { ...closed, minProperties: 1, description: 'Every condition must hold; of a list, at least one member.' },
)
export type Conditions = Static<typeof Conditions>

/** Rules that share an ID recognise the same thing in different ways. */
export const RuleFile = dataFile({
  kind: Type.Enum(['block', 'challenge', 'parking', 'login_wall', 'soft_404']),
  rules: Type.Array(
    Type.Object(
      {
        id: Type.String({ pattern: '^[a-z][a-z0-9_]*$' }),
        about: Type.String({ minLength: 1, description: 'The vendor or kind of page.' }),
        when: Conditions,
      },
      closed,
    ),
    { minItems: 1 },
  ),
})

export interface Rule {
  readonly id: string
  readonly kind: RecognisedKind
  readonly about: string
  readonly when: Conditions
}

/** The first match counts: a challenge is also a refusal, and a refusal may contain a login form. */
const RULE_FILES = [challenge, loginWall, parking, block, soft404] as readonly Static<typeof RuleFile>[]

export const rules: readonly Rule[] = RULE_FILES.flatMap(({ kind, rules }) => rules.map(rule => ({ ...rule, kind })))

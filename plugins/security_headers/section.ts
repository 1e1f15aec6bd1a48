// The section's fields: every header with its judgement, and the grade that they come to.
import { ServedFields, type ServedSection, type Static, Type, withServed } from '../../src/engine/plugin.ts'
import { ContentTypeOptions } from './content_type_options.ts'
import { Cors } from './cors.ts'
import { CrossOrigin } from './cross_origin.ts'
import { ContentSecurityPolicy } from './csp.ts'
import { Framing } from './framing.ts'
import { grades } from './grade.ts'
import { Hsts } from './hsts.ts'
import { Https } from './https.ts'
import { nullable } from './judgement.ts'
import { PermissionsPolicy } from './permissions_policy.ts'
import { ReferrerPolicy } from './referrer_policy.ts'

/** The field that each header of the result is named after. */
export const headerNames = {
  hsts: 'strict-transport-security',
  csp: 'content-security-policy',
  x_frame_options: 'x-frame-options',
  x_content_type_options: 'x-content-type-options',
  referrer_policy: 'referrer-policy',
  permissions_policy: 'permissions-policy',
  coop: 'cross-origin-opener-policy',
  coep: 'cross-origin-embedder-policy',
  corp: 'cross-origin-resource-policy',
} as const

const Leak = Type.Object(
  { name: Type.String(), value: Type.String(), version: Type.Boolean({ description: 'It tells a version.' }) },
  { additionalProperties: false },
)

export const Section = Type.Object(
  {
    ...ServedFields,
    score: nullable(Type.Integer({ minimum: 0, maximum: 100, description: 'Null when `blocked`, as all below.' })),
    grade: nullable(Type.Enum([...grades])),
    https: nullable(Https),
    hsts: nullable(Hsts),
    csp: nullable(ContentSecurityPolicy),
    x_frame_options: nullable(Framing),
    x_content_type_options: nullable(ContentTypeOptions),
    referrer_policy: nullable(ReferrerPolicy),
    permissions_policy: nullable(PermissionsPolicy),
    coop: nullable(CrossOrigin),
    coep: nullable(CrossOrigin),
    corp: nullable(CrossOrigin),
    cors: nullable(Cors),
    missing: Type.Array(Type.String(), { description: 'Headers that are not there and would do good.' }),
    leaks: Type.Array(Leak, { description: 'Headers that name software, at most 20.' }),
  },
  { additionalProperties: false },
)
export type Section = Static<typeof Section>

/** The section of a response that was graded: nothing about it is null, but for what does not apply. */
export type Graded = {
  readonly [Name in keyof Section]: Name extends keyof ServedSection ? Section[Name] : NonNullable<Section[Name]>
}

type Headed = Pick<Graded, keyof typeof headerNames>

/** Names of the headers that are not there although they apply and would do good. */
export const missingOf = (sections: Headed): string[] =>
  Object.entries(headerNames).flatMap(([key, header]) => {
    const judged = sections[key as keyof Headed]
    return judged.present || judged.status === null || judged.status === 'pass' ? [] : [header]
  })

/** What is said of a response that is not the site's own: which one it was, and nothing more. */
export const ungraded = (fields: ServedSection): Section =>
  withServed(fields, {
    score: null,
    grade: null,
    https: null,
    hsts: null,
    csp: null,
    x_frame_options: null,
    x_content_type_options: null,
    referrer_policy: null,
    permissions_policy: null,
    coop: null,
    coep: null,
    corp: null,
    cors: null,
    missing: [],
    leaks: [],
  })

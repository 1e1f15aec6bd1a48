// The section's fields: every header with its judgement, and the grade.
import { labelled, nullable, ServedFields, type ServedSection, type Static, Type } from '../../src/engine/plugin.ts'
import { ContentTypeOptions } from './content_type_options.ts'
import { Cors } from './cors.ts'
import { CrossOrigin } from './cross_origin.ts'
import { ContentSecurityPolicy } from './csp.ts'
import { Framing } from './framing.ts'
import { grades } from './grade.ts'
import { Hsts } from './hsts.ts'
import { Https } from './https.ts'
import { PermissionsPolicy } from './permissions_policy.ts'
import { ReferrerPolicy } from './referrer_policy.ts'
import { ServedBy } from './served_by.ts'
import { SubresourceIntegrity } from './subresource_integrity.ts'

/** The header field of each entry of the result. */
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
  {
    name: Type.String({ description: 'Name of the header, in lower case.' }),
    value: Type.String({ description: 'As sent, shortened.' }),
    version: Type.Boolean({ description: 'Discloses a version.' }),
  },
  { additionalProperties: false },
)

export const Section = Type.Object(
  {
    ...ServedFields,
    score: nullable(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        description: 'Null if `csp`, `referrer_policy`, or the status of `https` or `cors` is unknown.',
      }),
    ),
    grade: nullable(Type.Enum([...grades], { description: 'The score as a letter.' })),
    https: labelled('HTTPS', nullable(Https)),
    hsts: labelled('Strict-Transport-Security', nullable(Hsts)),
    csp: labelled('Content-Security-Policy', nullable(ContentSecurityPolicy)),
    x_frame_options: labelled('Framing', nullable(Framing)),
    x_content_type_options: labelled('X-Content-Type-Options', nullable(ContentTypeOptions)),
    referrer_policy: labelled('Referrer-Policy', nullable(ReferrerPolicy)),
    permissions_policy: labelled('Permissions-Policy', nullable(PermissionsPolicy)),
    coop: labelled('Cross-Origin-Opener-Policy', nullable(CrossOrigin)),
    coep: labelled('Cross-Origin-Embedder-Policy', nullable(CrossOrigin)),
    corp: labelled('Cross-Origin-Resource-Policy', nullable(CrossOrigin)),
    cors: labelled('Cross-origin access', nullable(Cors)),
    subresource_integrity: labelled('Third-party scripts with integrity', nullable(SubresourceIntegrity)),
    missing: labelled(
      'Missing headers',
      nullable(Type.Array(Type.String(), { description: 'Missing headers that would help.' })),
    ),
    leaks: labelled(
      'Software disclosed',
      nullable(Type.Array(Leak, { description: 'Headers that name software, at most 20.' })),
    ),
    served_by: labelled('Served by', ServedBy),
  },
  { additionalProperties: false },
)
export type Section = Static<typeof Section>

/** Policies that a page may also set in its markup: unknown if the markup could not be read. */
type InMarkup = 'csp' | 'referrer_policy' | 'subresource_integrity' | 'score' | 'grade'

/** The section of a judged response: only fields that depend on the markup, and the server, can be null. */
export type GradedHeaders = {
  readonly [Name in keyof Section]: Name extends keyof ServedSection | InMarkup | 'served_by'
    ? Section[Name]
    : NonNullable<Section[Name]>
}

type HeaderGrades = Pick<GradedHeaders, keyof typeof headerNames>

/** Names of the missing headers that apply and would help. */
export const missingOf = (sections: HeaderGrades): string[] =>
  Object.entries(headerNames).flatMap(([key, header]) => {
    const judgement = sections[key as keyof HeaderGrades]
    return judgement === null || judgement.present || judgement.status === null || judgement.status === 'pass'
      ? []
      : [header]
  })

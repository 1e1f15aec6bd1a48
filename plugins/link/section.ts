// The section's schema.
import { labelled, nullable, type Static, Type } from '../../src/engine/plugin.ts'

/** Members of a list. */
export const MAX_MEMBERS = 5

export const Section = Type.Object(
  {
    brands: labelled(
      'Brands in the path',
      Type.Array(Type.String(), {
        maxItems: MAX_MEMBERS,
        description: 'Brands that the path names, on a host that they do not own.',
      }),
    ),
    hosts_in_path: labelled(
      'Other sites in the path',
      Type.Array(Type.String(), {
        maxItems: MAX_MEMBERS,
        description: 'Host names of other sites in the path.',
      }),
    ),
    lure: labelled(
      'Lure in the path',
      nullable(Type.String({ description: 'Words of the path that ask to verify, update or secure something.' })),
    ),
    asset_folder: labelled(
      'Folder that should hold only files',
      nullable(
        Type.String({ description: 'The folder of files in which the link leads to a page, such as `wp-includes`.' }),
      ),
    ),
    email_address: labelled(
      'E-mail address',
      nullable(
        Type.Object(
          {
            place: Type.Enum(['path', 'query'], { description: 'The part of the URL.' }),
            encoding: Type.Enum(['plain', 'base64'], { description: 'How it is written.' }),
          },
          {
            additionalProperties: false,
            description: 'Where the link contains an e-mail address, which is not repeated.',
          },
        ),
      ),
    ),
    host_beside_at_sign: labelled(
      'Host name beside an @',
      nullable(Type.String({ description: 'The host name before or after an `@` of the path.' })),
    ),
    double_encoding: labelled(
      'Encoded twice',
      nullable(Type.Enum(['path', 'query'], { description: 'Where characters are encoded twice.' })),
    ),
    redirector: labelled(
      'Redirection service',
      nullable(
        Type.Object(
          {
            service: Type.String({ description: 'Name of the service.' }),
            leads_to: nullable(Type.String({ description: 'Host name; null if the link does not say.' })),
            guarded: Type.Boolean({
              description: 'The service checks or signs its links, so it is not an open redirect.',
            }),
          },
          { additionalProperties: false, description: 'The known redirection service that the link uses.' },
        ),
      ),
    ),
  },
  { additionalProperties: false },
)
export type Section = Static<typeof Section>

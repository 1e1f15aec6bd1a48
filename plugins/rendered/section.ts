// The section's schema.
import { labelled, nullable, type Static, Type } from '../../src/engine/plugin.ts'

const CLOSED = { additionalProperties: false } as const
const count = (description: string) => Type.Integer({ minimum: 0, description })

const Drawn = (whose: string) =>
  Type.Object(
    {
      words: count('Words of text that is not hidden.'),
      fields: count('Fields that are not hidden.'),
      passwords: count('Password fields.'),
      buttons: count('Buttons.'),
    },
    { ...CLOSED, description: `What ${whose} shows.` },
  )

export const Section = Type.Object(
  {
    why: Type.Enum(['needed', 'asked', 'always'], {
      description:
        '`needed`: what was served shows little. `asked`: the request said `render=true`. `always`: the configuration says so.',
    }),
    url: labelled('Ends at', Type.String({ description: 'Where the browser was at the end, after scripts.' })),
    status: nullable(Type.Integer({ description: 'HTTP status of that document.' })),
    title: labelled('Title', nullable(Type.String({ description: 'Title of the page after scripts.' }))),
    navigations: Type.Array(
      Type.Object(
        {
          url: Type.String({ description: 'The document.' }),
          by: Type.Enum(['visit', 'redirect', 'script', 'refresh', 'form'], {
            description: 'What led to it; `visit` for the first.',
          }),
        },
        CLOSED,
      ),
      { description: 'Documents of the window, in order, at most 16.' },
    ),
    drawn: Drawn('the page after scripts'),
    served: Drawn('the page as it was served'),
    alike: nullable(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'Share of words that both versions have in common; null if one of them has no words.',
      }),
    ),
    requests: labelled('Requests', count('Requests of the page and its frames.')),
    hosts: labelled(
      'Hosts',
      Type.Array(
        Type.Object(
          {
            host: Type.String({ description: 'The host, with an unusual port.' }),
            requests: count('Requests to it.'),
            octets: count('Octets received from it, as transferred.'),
            types: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
              description: 'Number of requests by type, such as `script` and `image`.',
            }),
          },
          CLOSED,
        ),
        { description: 'Hosts that the page loads from, in the order of the first requests; at most 50.' },
      ),
    ),
    refused: labelled(
      'Not contacted',
      Type.Array(
        Type.Object(
          {
            host: Type.String({ description: 'The host, with an unusual port.' }),
            reason: Type.String({ description: 'Why: `not_public`, `to_port`, `not_found`, `budget_spent`, …' }),
          },
          CLOSED,
        ),
        { description: 'Hosts that the page requested and that were not contacted or did not answer; at most 50.' },
      ),
    ),
    received: labelled('Received', count('Octets from all hosts, TLS included.')),
    sent: count('Octets to all hosts, TLS included.'),
    spent: nullable(
      Type.String({
        description: 'The budget that ran out, after which nothing more was loaded: `octets`, `requests`, …',
      }),
    ),
    console_errors: labelled('Script errors', count('Errors of its scripts, and those that it wrote to the console.')),
    downloads: labelled(
      'Downloads',
      Type.Array(Type.String(), { description: 'URLs of files that it started to download; nothing was kept.' }),
    ),
    dialogs: labelled(
      'Dialogs',
      Type.Array(Type.String(), { description: 'Kinds and texts of its dialogs; all were dismissed. At most 8.' }),
    ),
    copied: labelled(
      'Written to the clipboard',
      Type.Array(Type.String(), { description: 'Texts that it wrote to the clipboard without a click, at most 4.' }),
    ),
    settled: Type.Boolean({ description: 'Nothing was loading any more when the page was read.' }),
    screenshots: Type.Array(
      Type.Object(
        {
          kind: Type.Enum(['desktop', 'phone'], { description: 'The width of the window.' }),
          width: Type.Integer({ description: 'Pixels.' }),
          height: Type.Integer({ description: 'Pixels.' }),
          media_type: Type.String({ description: '`image/webp`.' }),
          sha256: Type.String({ description: 'Of the picture, in hex.' }),
          octets: count('Size of the picture.'),
        },
        CLOSED,
      ),
      { description: 'Pictures of the page. A kept result has them at `/api/v1/results/ID/screenshots/KIND`.' },
    ),
    took_ms: Type.Integer({ minimum: 0, description: 'Milliseconds in the browser.' }),
  },
  CLOSED,
)

export type Section = Static<typeof Section>

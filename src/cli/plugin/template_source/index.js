// my_section: queries your directory for the owner of the target. An extension that queries it, and the section.
import { analyzer, createLookup, extension, raise, Type, Unavailable } from 'assay/plugin'

const source = extension({
  name: 'my_section_source',
  description: 'Queries the directory, which sees every target.',
  provides: ['my_section'],
  hosts: [{ option: 'endpoint' }],
  options: Type.Object(
    {
      endpoint: Type.String({
        default: '',
        pattern: '^(https://[!-~]{1,200})?$',
        description: 'The target is appended.',
      }),
      key: Type.String({
        default: '',
        pattern: '^[!-~]{0,256}$',
        writeOnly: true,
        description: 'Sent as a bearer token.',
      }),
      per_minute: Type.Integer({ default: 60, minimum: 1, description: 'Calls per minute that the directory allows.' }),
    },
    { additionalProperties: false },
  ),
  apply(hooks, { endpoint, key, per_minute }) {
    const read = body => (typeof body?.owner === 'string' ? { owner: body.owner.slice(0, 128) } : null)
    const lookup = createLookup({ read, unknown: { owner: null }, per_minute })
    hooks.gather.for('my_section').tapPromise('my_section_source', async context => {
      if (endpoint === '') throw new Unavailable('not_configured')
      const subject = context.target.domain ?? context.target.ip
      const url = `${endpoint}${encodeURIComponent(subject)}`
      return lookup.ask(context, { subject, url, headers: { authorization: `Bearer ${key}` } })
    })
  },
})

/** All about a signal. `when` says whether it applies to what `analyze` found. */
const signals = {
  my_section_own: {
    weight: -10,
    group: 'trust',
    severity: 'info',
    title: 'One of our own',
    advice: null,
    when: ({ owner }) => owner !== null && { detail: `It belongs to ${owner}.` },
  },
}

const section = analyzer({
  name: 'my_section',
  description: 'Reports the owner of the target in the directory.',
  targets: ['domain', 'ip'],
  needs: ['my_section'],
  schema: Type.Object(
    { owner: Type.Union([Type.String({ maxLength: 128 }), Type.Null()], { title: 'Owner in the directory' }) },
    { additionalProperties: false },
  ),
  signals,
  // Without `describe`, people see the fields of the schema by their titles.
  presentation: { title: 'Owner', looks: 'who owns the target in our directory' },
  analyze({ my_section: { owner } }) {
    const section = { owner }
    return { section, signals: raise(signals, section) }
  },
})

export default [source, section]

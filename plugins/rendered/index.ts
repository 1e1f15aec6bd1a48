// rendered: what a browser makes of the page after its scripts, whom it loads from, and what it does.
import { analyzer } from '../../src/engine/plugin.ts'
import { presentation } from './presentation.ts'
import { Section } from './section.ts'
import { findSignals, signals } from './signals.ts'

export default analyzer({
  name: 'rendered',
  description: 'What a browser shows and loads after the scripts of the page have run, and what the page does.',
  targets: ['domain', 'ip'],
  needs: ['rendered'],
  optional: true,
  presentation,
  schema: Section,
  signals,
  analyze({ rendered }) {
    const { document: _, served_url: __, served_scripts: ___, ...rest } = rendered
    const { navigations, hosts, refused, downloads, dialogs, copied, screenshots } = rest
    return {
      section: {
        ...rest,
        navigations: [...navigations],
        hosts: hosts.map(host => ({ ...host, types: { ...host.types } })),
        refused: [...refused],
        downloads: [...downloads],
        dialogs: [...dialogs],
        copied: [...copied],
        screenshots: [...screenshots],
      },
      signals: findSignals(rendered),
    }
  },
})

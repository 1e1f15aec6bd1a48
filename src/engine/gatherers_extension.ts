// Registers the built-in gatherers as an extension.
import type { Gatherers } from '../evidence/evidence.ts'
import type { Extension } from './plugin.ts'

export const gatherersExtension = (gatherers: Gatherers): Extension => ({
  name: 'gatherers',
  description: 'Gathers the evidence about a target: DNS, mail, TLS, the page, its location.',
  apply(hooks) {
    for (const [name, gather] of Object.entries(gatherers)) {
      hooks.gather.for(name).tapPromise('gatherers', gather)
    }
  },
})

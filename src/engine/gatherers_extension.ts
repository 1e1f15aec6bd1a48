// Gatherers as an extension: how evidence comes into a check.
import type { Gatherers } from '../evidence/evidence.ts'
import type { Extension } from './plugin.ts'

export const gatherersExtension = (gatherers: Gatherers): Extension => ({
  name: 'gatherers',
  description: 'Sees what there is to see of a target: DNS, mail, TLS, the page, its place.',
  apply(hooks) {
    for (const [name, gather] of Object.entries(gatherers)) {
      hooks.gather.for(name).tapPromise('gatherers', gather)
    }
  },
})

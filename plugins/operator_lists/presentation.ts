// How people see the section.
import { labelsOf, type Presentation, quote, quoteOr } from '../../src/engine/plugin.ts'
import { Section } from './section.ts'

const label = labelsOf(Section)

export const presentation: Presentation<Section> = {
  title: 'Lists of this service',
  looks: 'whether the operator of this service allows or blocks the target',
  order: 15,
  describe({ list, entry, reason, expires_at }) {
    if (list === null) return { summary: ['The operator neither allows nor blocks the target.'], facts: [] }
    return {
      summary: [`The operator ${list === 'block' ? 'blocks' : 'allows'} the target.`],
      facts: [
        [label.entry, quote(entry ?? '')],
        [label.reason, quoteOr(reason, 'none given')],
        [label.expires_at, quoteOr(expires_at, 'removed')],
      ],
    }
  },
}

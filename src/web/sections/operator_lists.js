import { quote, quoteOr } from './section.js'

/** @type {import('./section.js').Section} */
export const operator_lists = {
  title: 'Lists of this service',
  looks: 'whether the operator of this service allows or blocks the target',
  describe({ list, entry, reason, expires_at }) {
    if (list === null) return { summary: ['The operator neither allows nor blocks the target.'], facts: [] }
    return {
      summary: [`The operator ${list === 'block' ? 'blocks' : 'allows'} the target.`],
      facts: [
        ['Entry', quote(entry)],
        ['Reason', quoteOr(reason, 'none given')],
        ['Valid until', quoteOr(expires_at, 'removed')],
      ],
    }
  },
}

// operator_lists: the operator's own allow and block lists, which take precedence over every other source.
import {
  analyzer,
  type Evidence,
  type Extension,
  labelled,
  labelsOf,
  nullable,
  type Presentation,
  quote,
  quoteOr,
  type Static,
  Type,
} from '../../src/engine/plugin.ts'
import { foreignPage, withAllowance } from './allowance.ts'

const Section = Type.Object(
  {
    list: nullable(
      Type.Enum(['allow', 'block'], {
        description: 'The list that names the target; also `block` if a host that its redirects lead to is blocked.',
      }),
    ),
    entry: nullable(Type.String({ description: 'A name, an address or a CIDR range.' })),
    reason: nullable(Type.String({ description: 'The note of the operator.' })),
    expires_at: labelled('Valid until', nullable(Type.String({ description: 'ISO 8601.' }))),
  },
  { additionalProperties: false },
)

const label = labelsOf(Section)

const presentation: Presentation<Static<typeof Section>> = {
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

const operatorLists = analyzer({
  name: 'operator_lists',
  description: 'Whether the operator of this service allows or blocks the target, by which entry and why.',
  targets: ['domain', 'ip'],
  needs: ['operator_lists'],
  wants: ['page', 'redirect_listings'],
  optional: true,
  presentation,
  schema: Section,
  signals: {
    blocked_by_operator: {
      weight: 100,
      group: 'reputation',
      severity: 'critical',
      title: 'On the block list of this service',
      advice: 'If it is yours and the entry is a mistake, ask the operator of this service to remove it.',
      warning: 'Do not open it.',
      floor: 100,
    },
    allowed_by_operator: {
      weight: 0,
      group: 'trust',
      severity: 'info',
      title: 'On the allow list of this service',
      advice: null,
    },
  },
  analyze({ operator_lists: own, page, redirect_listings }, { target }) {
    const hop = own.list === 'block' ? null : blockedHop(redirect_listings)
    const { list, entry, reason, expires_at } = hop?.operator ?? own
    const section = { list, entry, reason, expires_at }
    // Whether the lists name the target is known even if its page was not seen.
    if (list === null) return { section, signals: [], unknown: null }
    const because = reason === null ? '' : `: ${reason}`
    const on = `on the ${list} list of this service (${entry})${because}`
    const subject = target.domain ?? target.ip
    const evidence = { entry, reason, expires_at }
    if (list === 'block') {
      const detail = hop === null ? `${subject} is ${on}` : `A redirect leads to ${hop.host}, which is ${on}`
      return { section, signals: [{ id: 'blocked_by_operator', detail, evidence }], unknown: null }
    }
    const foreign = foreignPage(target, page, redirect_listings)
    const not = `The allowance is not applied, because the page is at ${foreign}, which is not on the list`
    const signal =
      foreign === null
        ? { detail: `${subject} is ${on}`, evidence }
        : { detail: `${subject} is ${on}. ${not}`, evidence: { ...evidence, applied: false } }
    return { section, signals: [{ id: 'allowed_by_operator', ...signal }], unknown: null }
  },
})

type RedirectListings = Evidence['redirect_listings']

const blockedHop = (redirects: RedirectListings | null): RedirectListings['hosts'][number] | null =>
  redirects?.hosts.find(({ operator }) => operator?.list === 'block') ?? null

const allowList: Extension = {
  name: 'allow_list',
  description: 'Holds the score of a target on the allow list to 30, and says what that overrides.',
  apply(hooks) {
    hooks.score.tap('allow_list', withAllowance)
  },
}

export default [operatorLists, allowList]

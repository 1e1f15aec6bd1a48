// operator_lists: the operator's own allow and block lists, which take precedence over every other source.
import { analyzer, type Extension, nullable, Type } from '../../src/engine/plugin.ts'
import { allowed } from './allowed.ts'

const operator_lists = analyzer({
  name: 'operator_lists',
  description: 'Whether the operator of this service allows or blocks the target, by which entry and why.',
  targets: ['domain', 'ip'],
  needs: ['operator_lists'],
  optional: true,
  schema: Type.Object(
    {
      list: nullable(Type.Enum(['allow', 'block'], { description: 'The list that names the target.' })),
      entry: nullable(Type.String({ description: 'A name, an address or a CIDR range.' })),
      reason: nullable(Type.String()),
      expires_at: nullable(Type.String({ description: 'ISO 8601.' })),
    },
    { additionalProperties: false },
  ),
  signals: {
    blocked_by_operator: {
      weight: 100,
      group: 'reputation',
      severity: 'critical',
      title: 'On the block list of this service',
      floor: 100,
    },
    allowed_by_operator: { weight: 0, group: 'trust', severity: 'info', title: 'On the allow list of this service' },
  },
  analyze({ operator_lists: { list, entry, reason, expires_at } }, { target }) {
    const section = { list, entry, reason, expires_at }
    if (list === null) return { section, signals: [] }
    const because = reason === null ? '' : `: ${reason}`
    const detail = `${target.domain ?? target.ip} is on the ${list} list of this service (${entry})${because}`
    const id = list === 'block' ? 'blocked_by_operator' : 'allowed_by_operator'
    return { section, signals: [{ id, detail, evidence: { entry, reason, expires_at } }] }
  },
})

const allow_list: Extension = {
  name: 'allow_list',
  description: 'Holds the score of a target on the allow list to 30, and says what that overrides.',
  apply(hooks) {
    hooks.score.tap('allow_list', allowed)
  },
}

export default [operator_lists, allow_list]

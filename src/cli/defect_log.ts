// Tells the operator of plugins and gatherers that broke: one line a defect, named, and nothing of it to the client.
import { describeError, type Log } from '../api/log.ts'
import type { Extension } from '../engine/plugin.ts'

/** Logs every defect of every check when it has settled. */
export const defectLog = (log: Log): Extension => ({
  name: 'defect_log',
  description: 'Logs what broke during a check.',
  apply(hooks) {
    hooks.settled.tap('defect_log', ({ analysis: { target, defects } }) => {
      for (const { plugin, stage, error } of defects) {
        log.error({ plugin, stage, target: target.domain ?? target.ip, error: describeError(error) })
      }
    })
  },
})

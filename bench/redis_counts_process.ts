// One instance's store in a process of its own: counts answers as fast as Redis does.
import { systemClock } from '../src/clock.ts'
import { readSettings } from '../src/config/config.ts'
import type { Backend } from '../src/store/backend.ts'
import { openBackend } from '../src/store/open_backend.ts'
import { answerTasks } from './child.ts'

/** Requests at once, as many as an instance has under load. */
const together = 64
const plan = { quota: 1_000_000_000, period: 'month' } as const

let store: Backend | undefined

answerTasks({
  async open({ url, data }: { url: string; data: string }) {
    const { config } = readSettings({ store: url, redis: { command_ms: 5_000 } }, data, {}, { data })
    store = await openBackend(config, systemClock, () => {})
  },
  /** Resolves with the number of answers. */
  async count({ accounts, seconds }: { accounts: readonly string[]; seconds: number }) {
    const charge = store?.quota.charge
    if (charge === undefined) throw new Error('not open')
    const end = performance.now() + seconds * 1_000
    let counted = 0
    const client = async (first: number) => {
      for (let turn = first; performance.now() < end; turn += together) {
        const usage = await charge(accounts[turn % accounts.length] as string, plan)
        if ('allowed' in usage) throw new Error('no quota')
        counted += 1
      }
    }
    await Promise.all(Array.from({ length: together }, (_, n) => client(n)))
    return counted
  },
  close: () => store?.close(),
})

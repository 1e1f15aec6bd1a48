// What the tests run in a process of its own: `charge` counts answers until killed, `charge-days` on one day of a month after the
// other; the rest do one thing and print it.
import { openSync, statSync, writeSync } from 'node:fs'
import { openKeyFile, openStore } from '../../src/store/embedded/embedded_store.ts'

const [, , command, directory = '', argument = ''] = process.argv

/** Writes one octet to the log for each answer delivered, `clients` at a time. */
async function charge(log: string, clock: (answered: number) => number, clients = 50): Promise<void> {
  let answered = statSync(log, { throwIfNoEntry: false })?.size ?? 0
  const { quota } = await openStore({ directory, now: () => clock(answered) })
  const descriptor = openSync(log, 'a')
  const client = async () => {
    for (;;) {
      const grant = await quota.reserve('acc_killed', { quota: 1e9, period: 'month' })
      if (!grant.allowed) throw new Error('the quota ran out')
      await grant.commit()
      writeSync(descriptor, '.')
      answered += 1
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
}

/** Midnight comes every 200 answers, until the last day of the month. */
const fastDays = (answered: number): number => Date.UTC(2026, 10, 1 + Math.min(29, Math.floor(answered / 200)))

async function change(): Promise<unknown> {
  const { keys, close } = await openKeyFile({ directory })
  const made =
    command === 'revoke' ? await keys.revoke(argument) : await keys.create({ plan: 'startup', label: argument })
  await close()
  return made
}

async function serve(): Promise<unknown> {
  const store = await openStore({ directory }).catch((error: unknown) => error)
  return store instanceof Error ? store : 'serving'
}

if (command === 'charge') await charge(argument, Date.now)
else if (command === 'charge-days') await charge(argument, fastDays)
else console.log(JSON.stringify(command === 'serve' ? await serve() : await change()))

// What the tests run in a process of its own: `charge` counts answers until killed, the rest do one thing and print it.
import { openSync, writeSync } from 'node:fs'
import { openKeyFile, openStore } from '../../src/store/embedded/embedded_store.ts'

const [, , command, directory = '', argument = ''] = process.argv

/** Writes one octet to the log for each answer delivered, `clients` at a time. */
async function charge(log: string, clients = 50): Promise<void> {
  const { quota } = await openStore({ directory })
  const descriptor = openSync(log, 'a')
  const client = async () => {
    for (;;) {
      const grant = await quota.reserve('acc_killed', { quota: 1e9, period: 'month' })
      if (!grant.allowed) throw new Error('the quota ran out')
      await grant.commit()
      writeSync(descriptor, '.')
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
}

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

if (command === 'charge') await charge(argument)
else console.log(JSON.stringify(command === 'serve' ? await serve() : await change()))

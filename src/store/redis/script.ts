// Scripts: what must happen in Redis all at once, or not at all.
import { createHash } from 'node:crypto'
import type { RedisArgument } from 'redis'
import type { RedisClient, Run } from './link.ts'

/** Runs a script with its keys and arguments; resolves with what it returns. */
export type Script<Reply> = (run: Run, keys: readonly string[], args: readonly RedisArgument[]) => Promise<Reply>

/** Redis knows a script by its digest, until it restarts: then it is told the text again. */
export function script<Reply>(text: string): Script<Reply> {
  const digest = createHash('sha1').update(text).digest('hex')
  return (run, keys, args) =>
    run(async (client: RedisClient) => {
      const options = { keys: [...keys], arguments: [...args] }
      try {
        return (await client.evalSha(digest, options)) as Reply
      } catch (fault) {
        if (!(fault instanceof Error) || !fault.message.startsWith('NOSCRIPT')) throw fault
        return (await client.eval(text, options)) as Reply
      }
    })
}

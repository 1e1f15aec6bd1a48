// Scripts: what must happen in Redis all at once, or not at all.
import { createHash } from 'node:crypto'
import type { RedisArgument } from '@redis/client'
import type { RedisClient, Run } from './link.ts'
import { Misread } from './reply.ts'

/** Runs a script with its keys and arguments; resolves with what it returns. */
export type Script<Reply> = (run: Run, keys: readonly string[], args: readonly RedisArgument[]) => Promise<Reply>

/**
 * Redis knows a script by its digest, until it restarts: then it is told the text again. `yields` tells a reply of the
 * script from what only a broken server says.
 */
export function script<Reply>(text: string, yields: (reply: unknown) => boolean = () => true): Script<Reply> {
  const digest = createHash('sha1').update(text).digest('hex')
  return (run, keys, args) =>
    run(async (client: RedisClient) => {
      const options = { keys: [...keys], arguments: [...args] }
      const reply: unknown = await client.evalSha(digest, options).catch((fault: unknown) => {
        if (!(fault instanceof Error) || !fault.message.startsWith('NOSCRIPT')) throw fault
        return client.eval(text, options)
      })
      if (!yields(reply)) throw new Misread('the script yields something else')
      return reply as Reply
    })
}

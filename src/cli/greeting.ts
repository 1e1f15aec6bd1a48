// What the service says to people when it starts: where it listens, and the first key of a store that has none.
import type { Config } from '../config/config.ts'
import { type IssuedKey, type Store, StoreError } from '../store/store.ts'

/** A key is made at most once for a store, and shown this once with a request that works. */
export async function greeting({ keys }: Store, { plans }: Config, url: string): Promise<string> {
  const lines = [`assay listens on ${url}`]
  const [plan] = Object.keys(plans)
  const first = plan === undefined ? null : await firstKey(keys, plan)
  if (first !== null) {
    const { text } = first
    lines.push(
      '',
      `Your first API key (plan ${plan}), shown only this once:`,
      '',
      `  ${text}`,
      '',
      'Try it:',
      '',
      `  curl -s -H 'X-API-Key: ${text}' '${url}/api/v1/check?domain=example.com'`,
      '',
      'Or look at it in a browser, with the same key:',
      '',
      `  ${url}/#example.com`,
      '',
    )
  }
  return `${lines.join('\n')}\n`
}

/** A store that is out just now may hold keys: then none is made. */
async function firstKey(keys: Store['keys'], plan: string): Promise<IssuedKey | null> {
  try {
    return await keys.createFirst({ plan, label: 'first key' })
  } catch (error) {
    if (error instanceof StoreError && error.code === 'key_store_error') return null
    throw error
  }
}

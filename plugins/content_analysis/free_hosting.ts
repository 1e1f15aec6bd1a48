// Free hosting providers. Anyone can create a site there anonymously, and most phishing pages use one.
import { dataFile, TextList } from '../../src/engine/plugin.ts'
import data from './data/free_hosting.json' with { type: 'json' }

/** Domains below which each customer gets a name. Being hosted there is a hint, not proof. */
export const FreeHostingFile = dataFile({ domains: TextList })
const freeHosting: ReadonlySet<string> = new Set(data.domains)

/** The hosting provider of the host, or null. `www` is the provider's own host. */
export function freeHostOf(hostname: string): string | null {
  const labels = hostname.replace(/^www\./, '').split('.')
  for (let i = 1; i < labels.length - 1; i++) {
    const parent = labels.slice(i).join('.')
    if (freeHosting.has(parent)) return parent
  }
  return null
}

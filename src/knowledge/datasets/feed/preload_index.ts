// Look-ups in the HSTS preload list: its hosts, and those that include their subdomains.
import type { PreloadList } from '../held.ts'
import type { KeyTable, KeyTableBuilder } from '../key_table.ts'

export interface PreloadIndex extends PreloadList {
  readonly size: number
}

/** The most labels of a name (RFC 1035 section 3.1). */
const LABELS = 127

/** A line of Chromium's list. It has one entry a line, and comments that JSON does not permit. */
const NAME = /^\s{0,20}\{\s{0,4}"name":\s{0,4}"([a-z0-9.-]{1,253})"/
const FORCE_HTTPS = /"mode":\s{0,4}"force-https"/
const SUBDOMAINS = /"include_subdomains":\s{0,4}true/

/** Adds the hosts of the list to a table. The key of a host that includes its subdomains is there with a dot before it too. */
export function preloadEntries(table: Pick<KeyTableBuilder, 'add'>) {
  let size = 0
  return {
    /** Lines without a host that browsers force to HTTPS are skipped. */
    add(line: string): void {
      const [, name] = NAME.exec(line) ?? []
      if (name === undefined || !FORCE_HTTPS.test(line)) return
      size += 1
      table.add(name)
      if (SUBDOMAINS.test(line)) table.add(`.${name}`)
    },
    details: () => ({ size }),
  }
}

export const preloadIndexOf = (table: KeyTable): PreloadIndex => ({
  size: Number(table.details['size']),
  has(host) {
    if (table.has(host)) return true
    let at = host.indexOf('.')
    for (let labels = 0; at !== -1 && labels < LABELS; at = host.indexOf('.', at + 1), labels++) {
      if (table.has(host.slice(at))) return true
    }
    return false
  },
})

// The addresses of this machine's own network interfaces, read now and then rather than for every question.
import { networkInterfaces } from 'node:os'

/** Milliseconds a reading is used: interfaces change rarely, and a reading costs several system calls. */
const FRESH_MS = 5_000

let readAt = Number.NEGATIVE_INFINITY
let addresses: readonly string[] = []

/**
 * In CIDR notation, the interface's own prefix length included: `192.0.2.7/24`. What the loopback interface carries
 * is left out: its usual addresses are refused as such, and others stand there for a reason, such as anycast.
 */
export function interfaceAddresses(): readonly string[] {
  const now = performance.now()
  if (now - readAt > FRESH_MS) {
    readAt = now
    addresses = Object.values(networkInterfaces()).flatMap(entries =>
      (entries ?? []).filter(({ internal }) => !internal).map(withoutZone),
    )
  }
  return addresses
}

const withoutZone = ({ address, cidr }: { address: string; cidr: string | null }): string =>
  (cidr ?? address).replace(/%[^/]*/, '')

// Where faults are played: a network namespace of our own with the production address policy, or loopback by a dial of the lab's.
import type { LabFront } from '../../src/testing/lab_web.ts'

export interface Stage {
  readonly name: 'namespace' | 'loopback'
  /** Where the lab listens for what is dialled at this address and port. */
  front(address: string, port: number): LabFront
  /** Of the lab's DNS servers. */
  readonly dns_host: string
  /** Of the service: to listen on, and to ask it at. */
  readonly service: { readonly bind: string; readonly address: string }
  /** An address to ask from: each case has one. */
  clientAddress(number: number): string
  /** The command that runs this one on the service's side. */
  wrap(command: string, args: readonly string[]): readonly [command: string, args: readonly string[]]
  /** Packets that left the service for places it must never dial, so far. */
  forbiddenPackets(): number
  close(): void
}

/** Public-looking networks. All of the first are the lab's; nobody answers in the others. */
export const networks = {
  lab: '93.184.0.0/16',
  lab6: '2a10:3781::/48',
  hole: '93.185.0.0/16',
  hole6: '2a10:3781:dead::/48',
  /** Here port 443 alone swallows what is sent to it. */
  half_hole: '93.184.255.0/24',
  clients: '45.91.0.0/16',
} as const

export const isBlackHole = (address: string, port: number): boolean =>
  address.startsWith('93.185.') ||
  address.startsWith('2a10:3781:dead:') ||
  (address.startsWith('93.184.255.') && port === 443)

// What people read about an instrument that is not healthy.
import type { Standing } from './standing.ts'

const resolverFaults: Readonly<Record<string, string>> = {
  timeout: 'it does not answer',
  unreachable: 'nothing listens on its port, or no route leads to it',
  servfail: 'it answers control questions with SERVFAIL',
  refused: 'it answers control questions with an error code',
  malformed: 'its replies cannot be read',
  denies_what_exists: 'it denies records that certainly exist',
  no_nxdomain: 'it does not answer NXDOMAIN for a name that cannot exist',
  nxdomain_without_soa: 'it answers NXDOMAIN without the SOA record that belongs to it',
  not_configured: 'none is configured',
}

const wayOutFaults: Readonly<Record<string, string>> = {
  timeout: 'no control host answers',
  no_route: 'this machine has no route',
  no_address: 'this machine has no address to send from',
  host_unreachable: 'routers report control hosts as unreachable',
  forbidden: 'this machine forbids the connections',
  refused: 'connections to control hosts are refused',
  reset: 'connections to control hosts are reset',
  nothing_heard: 'no connection has been answered lately, and no control host is configured',
}

const since = ({ since }: Standing): string =>
  since === null ? '' : ` since ${new Date(since).toISOString().slice(0, 19)}Z`

/** `The DNS resolver is down since 2026-11-23T19:00:00Z: it does not answer.` */
export function resolverSentence(standing: Standing): string {
  if (standing.state === 'healthy') return 'The DNS resolver is healthy.'
  if (standing.state === 'unproved') return 'The DNS resolver has not been proved to work yet.'
  return `The DNS resolver is down${since(standing)}: ${resolverFaults[standing.fault ?? ''] ?? standing.fault}.`
}

/** `The way out is down since …: this machine has no route.` */
export function wayOutSentence(standing: Standing): string {
  if (standing.state === 'healthy') return 'The way out to the Internet is healthy.'
  const fault = wayOutFaults[standing.fault ?? 'nothing_heard'] ?? standing.fault
  const state = standing.state === 'down' ? `is down${since(standing)}` : 'is not proved'
  return `The way out to the Internet ${state}: ${fault}.`
}

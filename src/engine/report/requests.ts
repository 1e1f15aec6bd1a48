// The requests to the site as lines of a picture: when each began and what its time went to. Pure.
import type { Report } from './schema.ts'

/** As in the result. */
export interface RequestTimes {
  readonly url: string
  readonly status: number
  readonly started_ms: number
  readonly connect_ms: number | null
  readonly tls_ms: number | null
  readonly queued_ms: number
  readonly wait_ms: number
  readonly receive_ms: number
}

export const requestLines = (requests: readonly RequestTimes[]): Report['requests'] =>
  requests.map(({ url, status, started_ms, connect_ms, tls_ms, queued_ms, wait_ms, receive_ms }) => ({
    ...{ url, status, started_ms },
    phases: [
      ...(connect_ms === null ? [] : [{ phase: 'connect', milliseconds: connect_ms } as const]),
      ...(tls_ms === null ? [] : [{ phase: 'TLS', milliseconds: tls_ms } as const]),
      ...(queued_ms === 0 ? [] : [{ phase: 'queue', milliseconds: queued_ms } as const]),
      { phase: 'wait', milliseconds: wait_ms },
      { phase: 'body', milliseconds: receive_ms },
    ],
  }))

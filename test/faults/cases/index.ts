// Every fault that is played to the one service.
import type { FaultCase } from '../case.ts'
import { addressFaults } from './addresses.ts'
import { dnsFaults } from './dns.ts'
import { htmlFaults } from './html.ts'
import { httpFaults } from './http.ts'
import { http2Faults } from './http2.ts'
import { keyFaults } from './keys.ts'
import { registryFaults } from './registries.ts'
import { requestFaults } from './request.ts'
import { tlsFaults } from './tls.ts'
import { urlFaults } from './urls.ts'

/** Faults that end when a limit of time has passed, and not before. */
const WAITING =
  /silent|never|without end|for ever|an octet|takes its time|swallow|wrong|no other|REFUSED|FORMERR|NOTIMP|SERVFAIL|forgotten|failing|hangs up|announced|reply of|as many addresses|two thousand|a failure|reply whose|truncated|unasked|another id|cut in the middle|SSH|four hops|circles/

const all: readonly FaultCase[] = [
  ...requestFaults,
  ...addressFaults,
  ...dnsFaults,
  ...tlsFaults,
  ...httpFaults,
  ...http2Faults,
  ...htmlFaults,
  ...registryFaults,
  ...keyFaults,
  ...urlFaults,
]

export const cases: readonly FaultCase[] = all.map(one => (WAITING.test(one.of) ? { ...one, slow: true } : one))

// A whole round of fuzzing: requests to a service that must neither fail, hang nor grow, and responses to all that reads them.
import { fuzzHttpResponses } from './http_responses.ts'
import { fuzzRequests, type RequestFindings } from './requests.ts'
import { fuzzResponses, type ResponseFindings, readers } from './responses.ts'
import { startVictim } from './victim.ts'

export interface FuzzOptions {
  readonly seed: number
  readonly requests: number
  readonly responses: number
}

export interface RequestReport extends RequestFindings {
  readonly per_second: number
  /** Octets of heap more than when a tenth was sent. */
  readonly grown: number
  readonly descriptors_grown: number
  readonly stall_ms: number
  readonly errors: readonly string[]
}

export interface ResponseReport extends ResponseFindings {
  readonly per_second: number
}

/** The first tenth fills what is bounded: caches of results and of queries. */
export async function reportRequests({ seed, requests }: FuzzOptions): Promise<RequestReport> {
  const victim = await startVictim()
  try {
    await fuzzRequests(victim, Math.ceil(requests / 10), seed + 1)
    const before = await victim.service.held()
    const began = performance.now()
    const found = await fuzzRequests(victim, requests, seed)
    const seconds = (performance.now() - began) / 1_000
    const after = await settled(victim.service.held, before.descriptors)
    return {
      ...found,
      per_second: Math.round(found.sent / seconds),
      grown: after.heap - before.heap,
      descriptors_grown: after.descriptors - before.descriptors,
      stall_ms: Math.round(after.stall_ms),
      errors: victim.errors(),
      faults: victim.service.ended() === null ? found.faults : [...found.faults, victim.service.ended() ?? ''],
    }
  } finally {
    await victim.close()
  }
}

/** Connections that were just cut take a moment to go. */
async function settled<T extends { readonly descriptors: number; readonly stall_ms: number }>(
  held: () => Promise<T>,
  descriptors: number,
): Promise<T> {
  let now = await held()
  const { stall_ms } = now
  for (let left = 50; left > 0 && now.descriptors > descriptors; left--) {
    await new Promise(resolve => setTimeout(resolve, 100))
    now = await held()
  }
  return { ...now, stall_ms }
}

/** A fifth of them over sockets, the others shared evenly by what reads octets. */
export async function reportResponses(
  { seed, responses }: FuzzOptions,
  report: (one: ResponseReport) => void,
): Promise<void> {
  const timed = async (fuzz: Promise<ResponseFindings>) => {
    const began = performance.now()
    const found = await fuzz
    report({ ...found, per_second: Math.round((found.read / (performance.now() - began)) * 1_000) })
  }
  const all = readers()
  await timed(fuzzHttpResponses(Math.ceil(responses / 5), seed))
  for (const reader of all) await timed(fuzzResponses(reader, Math.ceil((responses * 0.8) / all.length), seed))
}

// What came of asking a registry.
import type { RegistrationFacts } from './facts.ts'

/**
 * `failure` is a slug: the fetch's or the connection's own (`timeout`, `refused`, `certificate`, ...), `host_not_found`,
 * the status of a response that says nothing (`503`), or why the answer could not be used. `pause`: the registry
 * asks to be left alone, for as long as the value of Retry-After says.
 */
export type Answer<Facts = RegistrationFacts> =
  | { readonly ok: true; readonly facts: Facts }
  | { readonly ok: false; readonly failure: string; readonly pause?: { readonly retry_after: string | null } }

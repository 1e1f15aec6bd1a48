// The name of one request, in the log and in the answer.
import { randomUUID } from 'node:crypto'
import { withoutKeys } from '../store/api_key.ts'

const acceptable = /^[A-Za-z0-9_-]{1,64}$/

/** The client's own X-Request-Id when it is harmless and no key, which would be logged with it; else a new one. */
export function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && acceptable.test(given) && withoutKeys(given) === given ? given : randomUUID()
}

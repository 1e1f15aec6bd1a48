// The query string of requests about an account: few parameters, each at most once.
import { Problem } from './problem.ts'
import type { Context } from './request_state.ts'

/** Longest query string, in characters. */
const QUERY_LENGTH = 1_024

/** The parameters of the request by name. Throws a 400. */
export function readQuery({ req: { url = '' } }: Pick<Context, 'req'>): Readonly<Record<string, string>> {
  const mark = url.indexOf('?')
  const text = mark === -1 ? '' : url.slice(mark + 1)
  if (text.length > QUERY_LENGTH) throw new Problem('invalid-parameter', 'The query string is too long.')
  const found = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (found.has(name)) throw new Problem('invalid-parameter', `The parameter ${name} is repeated.`)
    found.set(name, value)
  }
  return Object.fromEntries(found)
}

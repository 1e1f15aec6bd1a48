// What an operator hears of resolvers that answer for names that are not there. Checks go on: what such a resolver
// invents is known, and read as NXDOMAIN.
import type { Condition } from '../api/health.ts'
import type { CheckService } from '../service.ts'

const REWRITTEN = 'nxdomain-rewritten'

export const resolverHonesty = ({ resolvers }: Pick<CheckService, 'resolvers'>): Condition => ({
  name: 'resolvers',
  fault: () => null,
  note: () => (resolvers().includes('inventing') ? REWRITTEN : null),
})

/** The line of the log, with the places of those resolvers among the configured, from 1; null when all are honest. */
export function resolverWarning({ resolvers }: Pick<CheckService, 'resolvers'>): object | null {
  const states = resolvers()
  const which = states.flatMap((state, at) => (state === 'inventing' ? [at + 1] : []))
  return which.length === 0 ? null : { resolvers: REWRITTEN, which, of: states.length }
}

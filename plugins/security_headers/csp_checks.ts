// Weak spots that csp_evaluator does not report, or reports by a check that throws on some policies.
import ipaddr from 'ipaddr.js'
import type { CspPolicy } from './csp_policy.ts'

/** A `Weakness` that opens no way to run a script. */
interface Spot {
  readonly code: string
  readonly severity: 'medium' | 'syntax' | 'low' | 'info'
  readonly directive: string
  readonly source: string | null
  readonly message: string
}

/** Reported only if every enforced policy lacks it. */
export const MISSING_FORM_ACTION = 'missing_form_action'

/** Directives that name sources; `csp_attacks.ts` judges those of scripts, plugins and base. */
const SOURCES: ReadonlySet<string> = new Set([
  'default-src',
  'img-src',
  'media-src',
  'font-src',
  'style-src',
  'style-src-elem',
  'style-src-attr',
  'connect-src',
  'frame-src',
  'child-src',
  'worker-src',
  'manifest-src',
  'form-action',
  'frame-ancestors',
  'script-src',
  'script-src-elem',
  'object-src',
  'base-uri',
])

/** A host source (CSP3 section 2.3.1) without scheme, port and path. */
const hostOf = (source: string): string =>
  source
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/\/.*$/, '')
    .replace(/:(?:\d+|\*)$/, '')
    .replace(/^\[(.*)\]$/, '$1')

const MAY_BE_ADDRESS = /^[\d.]+$|:/

function ofSource(directive: string, source: string): Spot[] {
  const spot = (code: string, severity: Spot['severity'], message: string): Spot => {
    return { code, severity, directive, source, message }
  }
  if (source === 'http:') {
    return [spot('src_http', 'medium', `${directive} allows every host without encryption.`)]
  }
  const host = hostOf(source)
  // Reading a name as an address throws and catches an error.
  if (!MAY_BE_ADDRESS.test(host)) return []
  if (!ipaddr.IPv4.isValidFourPartDecimal(host) && !ipaddr.IPv6.isValid(host)) return []
  // Browsers match no address but this one (section 6.7.2.9).
  return host === '127.0.0.1'
    ? [spot('ip_source', 'info', `${directive} allows the visitor’s own machine.`)]
    : [spot('ip_source', 'info', `${directive} has an IP address, which browsers ignore.`)]
}

/** Addresses, unencrypted schemes, repeated directives, and forms that may be sent anywhere. */
export function findSpots({ directives, repeated }: CspPolicy): readonly Spot[] {
  const sourceLists = [...directives].filter(([name]) => SOURCES.has(name))
  const repeats = repeated.map(
    (directive): Spot => ({
      code: 'duplicate_directive',
      severity: 'syntax',
      directive,
      source: null,
      message: `${directive} is repeated; browsers use the first one only.`,
    }),
  )
  return [
    ...repeats,
    ...sourceLists.flatMap(([directive, sources]) => sources.flatMap(source => ofSource(directive, source))),
    ...sourceLists.filter(([, sources]) => isStrictAlone(sources)).map(([name]) => blocksAll(name)),
    ...formsAnywhere(directives),
  ]
}

const isStrictAlone = (sources: readonly string[]): boolean =>
  sources.includes("'strict-dynamic'") && !sources.some(source => /^'(?:nonce|sha\d{3})-/.test(source))

/** Hosts beside it are ignored too (section 8.2). The evaluator checks for it after it has removed the keyword. */
const blocksAll = (directive: string): Spot => ({
  code: 'strict_dynamic_alone',
  severity: 'medium',
  directive,
  source: "'strict-dynamic'",
  message: "'strict-dynamic' without a nonce or hash blocks all scripts of the page.",
})

/** `default-src` does not cover forms (section 6.4.1). */
function formsAnywhere(directives: CspPolicy['directives']): readonly Spot[] {
  const sandbox = directives.get('sandbox')
  const isClosed = sandbox !== undefined && !sandbox.some(flag => flag.toLowerCase() === 'allow-forms')
  if (directives.has('form-action') || isClosed) return []
  const message = 'Without form-action, injected markup can send forms to any site.'
  return [{ code: MISSING_FORM_ACTION, severity: 'low', directive: 'form-action', source: null, message }]
}

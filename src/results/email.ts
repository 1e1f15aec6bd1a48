// What the result of a domain says of an e-mail address at it. Nothing here knows the address.
import { isFreeMail } from '../targets/email.ts'

type Result = Readonly<Record<string, unknown>>

interface Mx {
  readonly status: 'found' | 'null_mx' | 'none' | 'unknown'
  readonly hosts: readonly { readonly addresses: readonly string[] | null }[] | null
}

/** Of the section `dns_security`. */
interface Dns {
  readonly mx: Mx
  readonly ipv6: { readonly web: boolean | null }
  readonly issues: readonly { readonly code: string }[] | null
}

interface EmailResult {
  readonly domain: string
  readonly ip: string | null
  readonly signals: readonly string[]
  readonly dns_security?: Dns | null
  readonly reputation?: { readonly lists: readonly { readonly name: string; readonly status: string }[] | null } | null
}

/** The member of answers about an e-mail address; null is unknown. `lists`: names of those that name disposable domains. */
export function emailFacts(result: Result, lists: readonly string[]) {
  const emailResult = result as unknown as EmailResult
  return {
    disposable: disposable(emailResult, lists),
    free_mail: isFreeMail(emailResult.domain),
    deliverable: deliverable(emailResult),
  }
}

function disposable({ signals, reputation }: EmailResult, lists: readonly string[]): boolean | null {
  if (signals.includes('disposable_email')) return true
  const isAnswered = reputation?.lists?.some(({ name, status }) => lists.includes(name) && status === 'answered')
  return isAnswered ? false : null
}

/** By MX, or without any by the address of the name itself (RFC 5321 section 5.1). Whether the mailbox exists is not asked. */
function deliverable({ dns_security, ip, signals }: EmailResult): boolean | null {
  if (signals.includes('domain_not_found')) return false
  if (!dns_security || dns_security.mx.status === 'unknown') return null
  const { mx } = dns_security
  if (mx.status === 'null_mx') return false
  if (mx.status === 'none') return ip !== null || hasAddress(dns_security)
  const hosts = mx.hosts ?? []
  if (hosts.length === 0) return null
  if (hosts.some(({ addresses }) => addresses !== null && addresses.length > 0)) return true
  // Those beyond the first few were not looked up, and the look-up of others failed.
  return hosts.some(({ addresses }) => addresses === null) ? null : false
}

/** Of a name to which no connection was made; null when DNS did not answer. */
function hasAddress({ ipv6, issues }: Dns): boolean | null {
  if (ipv6.web === true || issues?.some(({ code }) => code === 'implicit_mx')) return true
  return ipv6.web === null ? null : false
}

// A small internet on loopback: names, certificates and sites from one table, reached through an injected dial
// function.
import { createHash, X509Certificate } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { TlsOptions } from 'node:tls'
import type { Dial } from '../network/network.ts'
import { type Authority, type CertificateOptions, type Credentials, createAuthority, selfSign } from './lab_ca.ts'
import { type LabDns, type LabDnsOptions, type LabRecords, type LabZones, startLabDns } from './lab_dns.ts'
import { type LabMail, labMail } from './lab_mail.ts'
import { type LabHandler, type LabWeb, startLabWeb } from './lab_web.ts'

/** One name with its address records, its site and its certificate. */
export interface LabHost {
  readonly name: string
  /** They look public, but connections to them go to a loopback port. */
  readonly addresses: readonly string[]
  /** Records other than A and AAAA. Names at or below a host with DS records validate. */
  readonly records?: LabRecords
  /** Records of other names, such as `_dmarc.` below this one. */
  readonly zones?: LabZones
  readonly http?: LabHandler
  readonly https?: LabHandler
  /** Deviations from a valid certificate for the name; ignored without `https`. */
  readonly certificate?: LabCertificate
  /** Further options of the TLS server, such as old versions. */
  readonly tls?: TlsOptions
  /** Its mail servers; `records` has the MX records. */
  readonly mail?: readonly LabMailHost[]
}

type LabCertificate = CertificateOptions & { readonly self_signed?: boolean }

/** A mail server: port 25 of an address. */
export interface LabMailHost extends Pick<LabMail, 'behaviour' | 'greeting_ms'> {
  readonly name: string
  readonly address: string
  /** Deviations from a valid certificate for the name. Without it there is no STARTTLS. */
  readonly certificate?: LabCertificate
  /** A TLSA record of its own key, or of another. */
  readonly tlsa?: 'own' | 'other'
}

export interface LabInternet {
  readonly dns: LabDns
  readonly web: LabWeb
  readonly dial: Dial
  /** PEM of the authority that signed the certificates. */
  readonly root: string
  close(): Promise<void>
}

let authority: Authority | undefined

/** One root for all labs of a process, because loading it with the system's roots takes longer than most lab checks. */
function sharedRoot(): Authority {
  authority ??= createAuthority()
  return authority
}

export async function startLabInternet(
  hosts: readonly LabHost[],
  options: Omit<LabDnsOptions, 'zones'> = {},
): Promise<LabInternet> {
  const root = sharedRoot()
  const issuer = root.subordinate({
    subject: [
      ['CN', 'Lab Issuing CA'],
      ['O', 'Lab Trust Services'],
    ],
  })
  const mail = hosts.flatMap(host => host.mail ?? []).map(host => mailServer(host, issuer))
  const zones = [...hosts.map(zonesOf), ...mail.map(server => server.zones)]
  const signedZones = hosts.flatMap(({ name, records }) => (records?.DS === undefined ? [] : [name]))
  const dns = await startLabDns({ zones: Object.assign({}, ...zones), signed: signedZones, ...options })
  const web = await startLabWeb(
    hosts
      .filter(({ http, https }) => http ?? https)
      .map(host => ({ ...site(host), ...(host.https ? { credentials: credentials(host, issuer) } : {}) })),
  )
  for (const { address, service } of mail) await web.script(address, MAIL_PORT, [service])
  return {
    dns,
    web,
    dial: web.dial,
    root: root.certificate,
    async close() {
      await Promise.all([dns.close(), web.close()])
    },
  }
}

const site = ({ name, addresses, http, https, tls }: LabHost) => ({
  host: name,
  addresses,
  ...(http ? { http } : {}),
  ...(https ? { https } : {}),
  ...(tls ? { tls } : {}),
})

function credentials(
  { name, certificate = {} }: Pick<LabHost, 'name' | 'certificate'>,
  issuer: Authority,
): Credentials {
  const { self_signed, ...options } = certificate
  const certificateOptions = { names: [name], ...options }
  return self_signed ? selfSign(certificateOptions) : issuer.issue(certificateOptions)
}

const MAIL_PORT = 25

/** What listens on the port of the mail server, and its records. */
function mailServer({ name, address, certificate, tlsa, ...behaves }: LabMailHost, issuer: Authority) {
  const tls = certificate && credentials({ name, certificate }, issuer)
  const records = tls && tlsa ? { [`_25._tcp.${name}`]: { TLSA: [keyRecord(tlsa === 'own' ? tls.cert : '')] } } : {}
  const zones: LabZones = { [name]: isIPv6(address) ? { AAAA: [address] } : { A: [address] }, ...records }
  return { address, zones, service: labMail({ name, ...behaves, ...(tls ? { tls } : {}) }) }
}

/** The digest of the certificate's key (RFC 7672 section 3.1.1); of nothing without one. */
function keyRecord(certificate: string) {
  const key =
    certificate === '' ? '' : new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' })
  return { usage: 3, selector: 1, matching_type: 1, data: createHash('sha256').update(key).digest('hex') }
}

function zonesOf({ name, addresses, records = {}, zones = {} }: LabHost): LabZones {
  const v6 = addresses.filter(isIPv6)
  const v4 = addresses.filter(address => !isIPv6(address))
  return {
    [name]: { ...(v4.length > 0 ? { A: v4 } : {}), ...(v6.length > 0 ? { AAAA: v6 } : {}), ...records },
    ...zones,
  }
}

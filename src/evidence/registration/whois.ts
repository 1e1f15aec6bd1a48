// Queries a registry's WHOIS server for a domain (RFC 3912): one line, one answer, no referral followed.
import { onAbort } from '../../base/abort.ts'
import { closestSuffix } from '../../knowledge/datasets/bootstrap.ts'
import { hostAddresses } from '../../network/host_addresses.ts'
import type { CheckNetwork } from '../../network/network.ts'
import type { RegistrationFacts } from './facts.ts'
import type { RegistryAnswer, RegistryQuestion } from './registry.ts'
import { readWhois } from './whois_answer.ts'

const PORT = 43
/** Ten times a usual answer; the rest of a longer one is dropped. */
const ANSWER_BYTES = 64 * 1024

type Connection = Extract<Awaited<ReturnType<CheckNetwork['connect']>>, { ok: true }>['socket']

/** Never rejects. */
export async function askWhois(
  network: CheckNetwork,
  server: WhoisServer,
  domain: string,
  { now, signal }: RegistryQuestion,
): Promise<RegistryAnswer<RegistrationFacts>> {
  const found = await hostAddresses(network, server.host, signal)
  if (!found.ok) return { ok: false, failure: found.failure === 'not_found' ? 'host_not_found' : found.failure }
  const connected = await network.connect({ addresses: found.addresses, port: PORT, signal })
  if (!connected.ok) return { ok: false, failure: connected.failure }
  const octets = await readAll(connected.socket, `${server.query}\r\n`, signal)
  if (octets === null) return { ok: false, failure: signal.aborted ? 'cancelled' : 'reset' }
  const reading = readWhois(octets, domain, now)
  return !reading.ok && reading.failure === 'limited' ? { ...reading, pause: { retry_after: null } } : reading
}

/** Sends the query and reads until the server closes, up to the limit; null when the connection breaks or the signal aborts. */
function readAll(socket: Connection, query: string, signal: AbortSignal): Promise<Buffer | null> {
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let left = ANSWER_BYTES
    const end = (whole: boolean) => {
      stop()
      resolve(whole ? Buffer.concat(chunks) : null)
      socket.destroy()
    }
    const stop = onAbort(signal, () => end(false))
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk.subarray(0, left))
      left -= chunk.length
      if (left <= 0) end(true)
    })
    socket.once('end', () => end(true)).once('close', () => end(false))
    if (signal.aborted) end(false)
    else socket.write(query)
  })
}

export interface WhoisServer {
  readonly host: string
  /** The query without the line end. */
  readonly query: string
}

/** The server for the domain and its query; null when none is known. */
export function whoisServer(domain: string): WhoisServer | null {
  const host = closestSuffix(hosts, domain)
  return host === null ? null : { host, query: (QUERIES[host] ?? '*').replace('*', domain) }
}

/** The suffixes each server answers for, from IANA's root zone database: country and other domains that may lack RDAP. */
const SERVERS: Readonly<Record<string, string>> = {
  'whois.ja.net': 'ac.uk gov.uk',
  'whois.aeda.net.ae': 'ae xn--mgbaam7a8h',
  'whois.nic.af': 'af',
  'whois.nic.ag': 'ag',
  'whois.nic.ai': 'ai',
  'whois.amnic.net': 'am xn--y9a3aq',
  'whois.nic.as': 'as',
  'whois.nic.at': 'at',
  'whois.nic.aw': 'aw',
  'whois.ax': 'ax',
  'whois.dns.be': 'be',
  'whois.register.bg': 'bg',
  'whois.nic.bj': 'bj',
  'whois.bnnic.bn': 'bn',
  'whois.nic.bo': 'bo',
  'whois.nic.net.bw': 'bw',
  'whois.cctld.by': 'by xn--90ais',
  'whois.nic.cd': 'cd',
  'whois.nic.ci': 'ci',
  'whois.nic.cl': 'cl',
  'whois.netcom.cm': 'cm',
  'whois.cnnic.cn': 'cn',
  'whois.nic.co': 'co',
  'whois.registry.net.za': 'co.za',
  'whois.nic.cr': 'cr',
  'whois.nic.cx': 'cx',
  'whois.nic.cz': 'cz',
  'whois.denic.de': 'de',
  'whois.punktum.dk': 'dk',
  'whois.nic.dm': 'dm',
  'whois.nic.do': 'do',
  'whois.nic.dz': 'dz xn--lgbbat1ad8j',
  'whois.nic.ec': 'ec',
  'whois.educause.edu': 'edu',
  'whois.tld.ee': 'ee',
  'whois.eu': 'eu xn--e1a4c xn--qxa6a',
  'whois.fi': 'fi',
  'whois.nic.fo': 'fo',
  'whois.nic.fr': 'fr pm re tf wf yt',
  'whois.nic.gd': 'gd',
  'whois.gg': 'gg',
  'whois.nic.gl': 'gl',
  'whois.nic.gs': 'gs',
  'whois.registry.gy': 'gy',
  'whois.hkirc.hk': 'hk xn--j6w193g',
  'whois.registry.hm': 'hm',
  'whois.nic.hn': 'hn',
  'whois.dns.hr': 'hr',
  'whois.nic.ht': 'ht',
  'whois.nic.hu': 'hu',
  'whois.id': 'id',
  'whois.weare.ie': 'ie',
  'whois.isoc.org.il': 'il xn--4dbrk0ce',
  'whois.nic.im': 'im',
  'whois.iana.org': 'int',
  'whois.nic.io': 'io',
  'whois.cmc.iq': 'iq xn--mgbtx2b',
  'whois.nic.ir': 'ir xn--mgba3a4f16a',
  'whois.isnic.is': 'is',
  'whois.nic.it': 'it',
  'whois.je': 'je',
  'whois.jprs.jp': 'jp',
  'whois.kenic.or.ke': 'ke',
  'whois.kg': 'kg',
  'whois.nic.ki': 'ki',
  'whois.nic.kn': 'kn',
  'whois.kr': 'kr xn--3e0b707e',
  'whois.nic.kz': 'kz xn--80ao21a',
  'whois.nic.la': 'la',
  'whois.nic.lk': 'lk',
  'whois.domreg.lt': 'lt',
  'whois.dns.lu': 'lu',
  'whois.nic.lv': 'lv',
  'whois.nic.ly': 'ly',
  'whois.registre.ma': 'ma',
  'whois.nic.md': 'md',
  'whois.nic.me': 'me',
  'whois.nic.mg': 'mg',
  'whois.marnet.mk': 'mk xn--d1alf',
  'whois.nic.mn': 'mn',
  'whois.nic.ms': 'ms',
  'whois.nic.mu': 'mu',
  'whois.mx': 'mx',
  'whois.mynic.my': 'my xn--mgbx4cd0ab',
  'whois.nic.mz': 'mz',
  'whois.na-nic.com.na': 'na',
  'whois.nc': 'nc',
  'whois.nic.nf': 'nf',
  'whois.nic.net.ng': 'ng',
  'whois.domain-registry.nl': 'nl',
  'whois.norid.no': 'no',
  'whois.iis.nu': 'nu',
  'whois.irs.net.nz': 'nz',
  'whois.registry.om': 'om xn--mgb9awbf',
  'kero.yachay.pe': 'pe',
  'whois.registry.pf': 'pf',
  'whois.dns.pl': 'pl',
  'whois.nic.pr': 'pr',
  'whois.pnina.ps': 'ps xn--ygbi2ammx',
  'whois.dns.pt': 'pt',
  'whois.registry.qa': 'qa xn--wgbl6a',
  'whois.rotld.ro': 'ro',
  'whois.rnids.rs': 'rs xn--90a3ac',
  'whois.tcinet.ru': 'ru su xn--p1ai',
  'whois.ricta.org.rw': 'rw',
  'whois.nic.net.sa': 'sa xn--mgberp4a5d4ar',
  'whois.nic.sb': 'sb',
  'whois.iis.se': 'se',
  'whois.sgnic.sg': 'sg',
  'whois.nic.sh': 'sh',
  'whois.register.si': 'si',
  'whois.sk-nic.sk': 'sk',
  'whois.nic.sm': 'sm',
  'whois.nic.sn': 'sn',
  'whois.nic.so': 'so',
  'whois.nic.st': 'st',
  'whois.sx': 'sx',
  'whois.tld.sy': 'sy xn--ogbpf8fl',
  'whois.nic.tc': 'tc',
  'whois.nic.tg': 'tg',
  'whois.thnic.co.th': 'th xn--o3cw4h',
  'whois.dot.tk': 'tk',
  'whois.nic.tl': 'tl',
  'whois.nic.tm': 'tm',
  'whois.ati.tn': 'tn',
  'whois.tonic.to': 'to',
  'whois.trabis.gov.tr': 'tr',
  'whois.twnic.net.tw': 'tw xn--kprw13d xn--kpry57d',
  'whois.tznic.or.tz': 'tz',
  'whois.ua': 'ua',
  'whois.co.ug': 'ug',
  'whois.nic.uk': 'uk',
  'whois.nic.us': 'us',
  'whois.nic.org.uy': 'uy',
  'whois.cctld.uz': 'uz',
  'whois.nic.ve': 've',
  'whois.nic.vg': 'vg',
  'whois.website.ws': 'ws',
  'cwhois.cnnic.cn': 'xn--fiqs8s xn--fiqz9s',
  'whois.nic.zm': 'zm',
}

/** Servers that need more than the bare name; `*` stands for the name. */
const QUERIES: Readonly<Record<string, string>> = {
  // The bare name returns the status only.
  'whois.denic.de': '-T dn,ace *',
  // In English
  'whois.jprs.jp': '*/e',
}

const hosts: ReadonlyMap<string, string> = new Map(
  Object.entries(SERVERS).flatMap(([host, names]) => names.split(' ').map(name => [name, host] as const)),
)

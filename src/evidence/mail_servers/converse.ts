// A conversation with one mail server: greeting, EHLO, STARTTLS, handshake, QUIT. Never sends mail.
import { timeLimit } from '../../base/abort.ts'
import { printable } from '../../base/printable.ts'
import { seemsLegacy, timeoutIfCancelled } from '../../network/connection.ts'
import { MAIL_PORT } from '../../network/mail_way_out.ts'
import type { CheckNetwork } from '../../network/network.ts'
import { handshake, type Offer, type PeerInfo, peerInfoOf } from '../../network/tls.ts'
import type { Contact, MailServer } from './facts.ts'
import { type Command, openSmtp, type SmtpSession } from './smtp.ts'

type Socket = Extract<Awaited<ReturnType<CheckNetwork['connect']>>, { ok: true }>['socket']

export interface MailClient {
  /** The name sent with EHLO. */
  readonly name: string
  /** Extra trust anchors, PEM. */
  readonly extra_roots?: string | undefined
}

/**
 * The host of the operator's contact page, so that the server's operator can identify us; otherwise a reserved name
 * (RFC 2606).
 */
export function ehloName(contact: string | null): string {
  const host = contact !== null && URL.canParse(contact) ? new URL(contact).hostname : ''
  return /^[a-z0-9.-]+\.[a-z][a-z0-9-]+$/.test(host) ? host : 'assay.invalid'
}

export interface ConversationResult extends Pick<MailServer, 'contact' | 'reason' | 'code' | 'banner' | 'extensions'> {
  /** Null when nothing answered. */
  readonly address: string | null
  readonly tls_failure: string | null
  readonly peer: (PeerInfo & { readonly only_legacy: boolean }) | null
}

export interface Conversation {
  readonly network: CheckNetwork
  readonly exchange: string
  readonly addresses: readonly string[]
  readonly client: MailClient
  /** The end of the conversation's time, on the monotonic clock. */
  readonly deadline: number
  readonly signal: AbortSignal
}

/** Never rejects. A second conversation follows if the server seems to want an older TLS. */
export async function converse(conversation: Conversation): Promise<ConversationResult> {
  const { deadline, network } = conversation
  const timeMs = Math.min(deadline - performance.now(), network.limits.smtp_ms)
  const limit = timeLimit(timeMs, conversation.signal)
  const within = { ...conversation, signal: limit.signal }
  const modern = await converseOnce(within, 'modern')
  const isOld = modern.address !== null && modern.tls_failure !== null && seemsLegacy(modern.tls_failure)
  const legacy = isOld ? await converseOnce({ ...within, addresses: [modern.address] }, 'legacy') : null
  limit.end()
  const heard = legacy?.peer ? legacy : modern
  // The server did not get its full time.
  const isHurried = limit.late() && timeMs < network.limits.smtp_ms && heard.contact === 'unanswered'
  return isHurried ? { ...heard, contact: 'unknown', reason: 'deadline' } : heard
}

const nothing = { code: null, banner: null, extensions: null, peer: null, tls_failure: null } as const

async function converseOnce(conversation: Conversation, offer: Offer): Promise<ConversationResult> {
  const { network, addresses, signal } = conversation
  const connectResult = await network.connect({ addresses, port: MAIL_PORT, signal, purpose: 'mail' })
  if (!connectResult.ok) {
    // Our own limits and rules say nothing about the server.
    const isOurs = connectResult.failure === 'too_many_connections' || connectResult.failure === 'denied'
    const reason = timeoutIfCancelled(connectResult.failure)
    return { ...nothing, contact: isOurs ? 'unknown' : 'unanswered', reason, address: null }
  }
  const { socket, address } = connectResult
  const session = openSmtp(socket, signal)
  const greeting = await greet(session, conversation.client.name)
  const security =
    greeting.contact === 'answered' ? await secure(session, socket, greeting, conversation, offer) : noTls
  if (security.peer === null) await quit(socket)
  return { ...nothing, ...greeting, ...security, address }
}

/** Resolves when the last command has been sent, or cannot be sent. The reply is not awaited. */
function quit(socket: Socket): Promise<void> {
  return new Promise(resolve => {
    if (!socket.writable) return resolve()
    socket.once('finish', resolve).once('close', () => resolve())
    const last: Command = 'QUIT'
    socket.end(`${last}\r\n`)
    socket.destroySoon()
  })
}

type Greeting = Pick<ConversationResult, 'contact' | 'reason' | 'code' | 'banner' | 'extensions'>

const BANNER_CHARACTERS = 200
const EXTENSIONS = 40

async function greet(session: SmtpSession, name: string): Promise<Greeting> {
  const greeting = await session.reply()
  if (!greeting.ok) return { ...nothing, ...silence(greeting.failure) }
  const banner = printable(greeting.reply.lines[0] ?? '', BANNER_CHARACTERS)
  const rejection = (code: number): Greeting => ({ contact: 'rejected', reason: null, code, banner, extensions: null })
  if (greeting.reply.code !== 220) return rejection(greeting.reply.code)
  session.send('EHLO', name)
  const answer = await session.reply()
  if (!answer.ok) return { ...nothing, ...silence(answer.failure), banner }
  if (answer.reply.code !== 250) return rejection(answer.reply.code)
  // The first line is the server's name.
  const keywords = answer.reply.lines.slice(1, 1 + EXTENSIONS).map(line => line.trim().split(/\s/, 1)[0] ?? '')
  const extensions = keywords.filter(keyword => KEYWORD.test(keyword)).map(keyword => keyword.toUpperCase())
  return { contact: 'answered', reason: null, code: null, banner, extensions }
}

/** RFC 5321 section 4.1.1.1. */
const KEYWORD = /^[a-z0-9][a-z0-9-]{0,31}$/i

const silence = (failure: string): { contact: Contact; reason: string | null } =>
  failure === 'not_smtp' ? { contact: 'not_smtp', reason: null } : { contact: 'unanswered', reason: failure }

type MailTls = Pick<ConversationResult, 'peer' | 'tls_failure'>

const noTls: MailTls = { peer: null, tls_failure: null }

async function secure(
  session: SmtpSession,
  socket: Socket,
  { extensions }: Greeting,
  { network, exchange, client, signal }: Conversation,
  offer: Offer,
): Promise<MailTls> {
  const withoutTls = (tlsFailure: string): MailTls => ({ peer: null, tls_failure: tlsFailure })
  if (!extensions?.includes('STARTTLS')) return noTls
  session.send('STARTTLS')
  const consent = await session.reply()
  if (!consent.ok) return withoutTls(consent.failure)
  if (consent.reply.code !== 220) return withoutTls('rejected')
  // Unencrypted data after the consent would count as part of the encrypted session (CVE-2011-0411).
  if (session.hasMore()) return withoutTls('injected')
  session.release()
  const { extra_roots } = client
  const timeoutMs = network.limits.tls_ms
  const seeCertificates = true
  const outcome = await handshake(socket, {
    host: exchange,
    offer,
    timeout_ms: timeoutMs,
    signal,
    extra_roots,
    alpn: [],
    see_certificates: seeCertificates,
  })
  if (!outcome.ok) {
    // A mail server that requires a client certificate has already sent its own.
    const peer = outcome.peer_info && { ...outcome.peer_info, only_legacy: offer === 'legacy' }
    return { peer, tls_failure: timeoutIfCancelled(outcome.failure) }
  }
  const peer = { ...peerInfoOf(outcome.socket, outcome.certificate, outcome), only_legacy: offer === 'legacy' }
  await quit(outcome.socket)
  return { peer, tls_failure: null }
}

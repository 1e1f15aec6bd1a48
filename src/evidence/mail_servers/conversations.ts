// Caches conversations with mail servers for all checks. One provider's servers receive the mail of many domains, so
// each server is contacted only once in a while, however many of its domains are checked.
import { createCache } from '../../base/cache/cache.ts'
import { caps } from '../../base/cache/caps.ts'
import { singleFlight } from '../../base/single_flight.ts'
import { matchesHost } from '../../network/sessions.ts'
import { describeCertificates, sentDer } from '../tls/chain.ts'
import type { TrustStore } from '../tls/trust_store.ts'
import { type Conversation, type ConversationResult, converse, type MailClient } from './converse.ts'
import type { MailServer, MailTls } from './facts.ts'

/** Plain data, for the cache. */
export interface MailConversation extends Omit<ConversationResult, 'peer'>, Pick<MailServer, 'tls'> {
  /** The certificates sent, the server's own first, in Base64; null without a handshake. */
  readonly sent: readonly string[] | null
}

/** Outcomes by server name and addresses. */
export const createSaidCache = () =>
  createCache<MailConversation>('mail_servers', { life_ms: caps.mail_servers.life_ms.usual })

interface ConversationRequest extends Omit<Conversation, 'client'> {
  /** The time of the check. */
  readonly now: Date
}

/** Never rejects. */
export function createConversations(
  client: MailClient,
  trust: TrustStore,
): (request: ConversationRequest) => Promise<MailConversation> {
  const cache = createSaidCache()
  const flights = singleFlight<MailConversation>()
  return async request => {
    const key = [request.exchange, ...request.addresses].join(' ')
    const cachedConversation = cache.get(key)
    if (cachedConversation !== undefined) return cachedConversation
    const start = async (): Promise<MailConversation> => {
      const conversation = await describe(await converse({ ...request, client }), request, trust)
      return isSpoken(conversation) ? cache.set(key, conversation) : conversation
    }
    const isJoined = flights.has(key)
    const newConversation = await flights.run(key, start)
    // The conversation belonged to another check, which may have ended in the middle of it.
    return isJoined && !isSpoken(newConversation) ? start() : newConversation
  }
}

/** Silence is not cached: the next check may have more time, or the network may work again. */
const isSpoken = ({ contact, tls_failure }: MailConversation): boolean =>
  (contact === 'answered' && tls_failure !== 'timeout') || contact === 'rejected' || contact === 'not_smtp'

async function describe(
  { peer, ...facts }: ConversationResult,
  { exchange, now }: ConversationRequest,
  trust: TrustStore,
): Promise<MailConversation> {
  if (peer === null) return { ...facts, tls: null, sent: null }
  const { protocol, cipher, only_legacy } = peer
  const { chain, anchored, verify_error } = await describeCertificates(peer, now, trust)
  const [certificate = null] = chain
  const namesHost = certificate && nameCovers(peer.certificate.raw, exchange)
  const tls: MailTls = { protocol, cipher, only_legacy, certificate, names_host: namesHost, anchored, verify_error }
  return { ...facts, tls, sent: sentDer(peer).map(der => der.toString('base64')) }
}

/** Null for a certificate that OpenSSL cannot read. */
function nameCovers(raw: Buffer | undefined, exchange: string): boolean | null {
  try {
    return raw === undefined ? null : matchesHost(raw, exchange)
  } catch {
    return null
  }
}

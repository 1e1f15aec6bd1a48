// E-mail of watches: which recipients are allowed, and the message that an event becomes.
import { truncate } from '../../base/printable.ts'
import type { Config } from '../../config/config.ts'
import { greetMailServer, type SubmissionServer, submitMail } from '../../network/submission.ts'
import type { Delivery, Watch } from '../../store/watches.ts'
import { parseDomain } from '../../targets/domain.ts'
import { headline, judgementOf, linesOf, targetOf, type WatchEvent } from './event.ts'
import { ANSWER_MS } from './webhook.ts'

const SCHEME = 'mailto:'
/** A local part that every mail server takes, and that means nothing to a header or a command. */
const LOCAL_PART = /^[A-Za-z0-9_+=~'&-]+(?:\.[A-Za-z0-9_+=~'&-]+)*$/
const LOCAL_CHARACTERS = 64
/** Milliseconds of an attempt. With less, a server that looks at a message for long would get it again and again. */
export const MAIL_MS = 120_000
/** Characters of a subject: longer ones are cut by the programs that show them. */
const SUBJECT_CHARACTERS = 120

export type Recipient =
  | { readonly ok: true; readonly address: string }
  /** A sentence that does not contain the address. */
  | { readonly ok: false; readonly fault: string }

export type WatchMail = ReturnType<typeof createWatchMail>

/** Whether a receiver is an address of e-mail rather than a URL. */
export const isMailAddress = (notify: string): boolean =>
  notify.toLowerCase().startsWith(SCHEME) || (notify.includes('@') && !notify.includes('/'))

export const mailReceiver = (address: string): string => `${SCHEME}${address}`

/** `name` is sent with EHLO. */
export function createWatchMail(
  { host, port, tls, user, password, from, recipient_domains }: Config['watch']['mail'],
  { name, extra_roots }: Pick<SubmissionServer, 'name' | 'extra_roots'>,
) {
  const allowedDomains = new Set(recipient_domains)
  const refuse = (fault: string): Recipient => ({ ok: false, fault })

  /** Reads `mailto:` and an address, or an address alone. */
  function recipient(notify: string): Recipient {
    if (host === null) return refuse('This service sends no e-mail.')
    const address = notify.slice(notify.toLowerCase().startsWith(SCHEME) ? SCHEME.length : 0)
    const at = address.lastIndexOf('@')
    const local = address.slice(0, Math.max(0, at))
    if (!LOCAL_PART.test(local) || local.length > LOCAL_CHARACTERS)
      return refuse('The receiver is not one e-mail address such as mailto:alerts@example.com.')
    const domain = parseDomain(address.slice(at + 1))
    if (!domain.ok) return refuse(domain.detail)
    return allowedDomains.has(domain.value)
      ? { ok: true, address: `${local}@${domain.value}` }
      : refuse('This service is configured not to send e-mail to this domain (watch.mail.recipient_domains).')
  }

  const serverAt = (host: string): SubmissionServer => ({ host, port, tls, user, password, name, extra_roots })

  return {
    recipient,
    /** Does all of a submission but the message; null where no mail is configured. Never rejects. */
    async greet() {
      if (host === null) return null
      const { signal } = new AbortController()
      return greetMailServer(serverAt(host), { signal, limit_ms: 2 * ANSWER_MS, greeting_ms: ANSWER_MS })
    },
    /** Never rejects. */
    async send(
      watch: Watch,
      { id, event }: Delivery,
      { now, signal }: { readonly now: number; readonly signal: AbortSignal },
    ) {
      const to = recipient(watch.notify)
      if (!to.ok || host === null || from === null)
        return { code: null, failure: 'receiver_not_allowed', isFinal: false }
      const mail = {
        from,
        to: to.address,
        date: new Date(now),
        message_id: `<${id}@${from.split('@')[1]}>`,
        ...messageOf(JSON.parse(event)),
        // Nobody is out of office for a machine (RFC 3834 section 5).
        headers: { 'Auto-Submitted': 'auto-generated' },
      }
      return submitMail(serverAt(host), mail, { signal, limit_ms: MAIL_MS, greeting_ms: ANSWER_MS })
    },
  }
}

/** Plain text, and a subject that says what changed. */
export function messageOf(event: WatchEvent): { readonly subject: string; readonly text: string } {
  const { watch_id, url } = event.data
  const lines = linesOf(event)
  const [only = ''] = lines
  const several = `${lines.length} changes, ${judgementOf(event)}`
  const subject =
    event.type === 'watch.test' ? headline(event) : `${targetOf(event)}: ${lines.length === 1 ? only : several}`
  const paragraphs = [
    headline(event),
    lines.map(line => `- ${line}.`).join('\n'),
    ...(url === null ? [] : [`The result: ${url}`]),
    `-- \nSent by assay for the watch ${watch_id}. Whoever manages its account can remove it.`,
  ]
  const isLong = subject.length > SUBJECT_CHARACTERS
  return {
    subject: isLong ? `${truncate(subject, SUBJECT_CHARACTERS - 1)}…` : subject,
    text: `${paragraphs.join('\n\n')}\n`,
  }
}

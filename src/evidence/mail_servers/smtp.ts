// The beginning of an SMTP session (RFC 5321): greeting, EHLO, STARTTLS (RFC 3207), QUIT. Never announces mail: the
// commands are a closed list. No library: SMTP libraries send mail and hide the server's earlier replies.

import { onAbort } from '../../base/abort.ts'
import { connectionFailure } from '../../network/connection.ts'
import type { CheckNetwork } from '../../network/network.ts'

type Socket = Extract<Awaited<ReturnType<CheckNetwork['connect']>>, { ok: true }>['socket']

/** The only commands that are sent: there is no MAIL, RCPT, DATA or AUTH. */
export type Command = 'EHLO' | 'STARTTLS' | 'QUIT'

export interface Reply {
  readonly code: number
  /** The lines without code; one character per octet. */
  readonly lines: readonly string[]
}

/** `not_smtp`: not an SMTP reply, or one beyond the limits. Others as `connectionFailure`, `timeout` and `closed`. */
export type ReplyResult =
  | { readonly ok: true; readonly reply: Reply }
  | { readonly ok: false; readonly failure: string }

export interface SmtpSession {
  reply(): Promise<ReplyResult>
  send(command: Command, argument?: string): void
  /** The server has sent data before its turn. */
  hasMore(): boolean
  /** Stops reading, so that TLS can take the socket over. */
  release(): void
}

/** Octets of one reply: RFC 5321 section 4.5.3.1.5 allows 512 a line, and no greeting or list of extensions has 32 lines. */
const REPLY_BYTES = 8 * 1024
/** Lines of one reply. */
const LINES = 100

const NOT_SMTP: ReplyResult = { ok: false, failure: 'not_smtp' }

/** `signal` ends the session; `late()` is true when the time limit was the reason. */
export function openSmtp(socket: Socket, signal: AbortSignal): SmtpSession {
  let buffer = Buffer.alloc(0)
  let over: string | null = signal.aborted ? 'timeout' : null
  let wake = () => {}
  const end = (failure: string) => {
    over ??= failure
    wake()
  }
  const read = (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk])
    if (buffer.length > REPLY_BYTES) socket.pause()
    wake()
  }
  const onClose = () => end('closed')
  const onError = (error: Error) => end(connectionFailure(error))
  const unsubscribe = onAbort(signal, () => end('timeout'))
  socket.on('data', read).once('end', onClose).once('close', onClose).on('error', onError)

  return {
    async reply() {
      for (;;) {
        const parsedReply = takeReply(buffer)
        if (parsedReply === 'malformed') return NOT_SMTP
        if (parsedReply !== null) {
          buffer = buffer.subarray(parsedReply.octets)
          return { ok: true, reply: parsedReply.reply }
        }
        if (buffer.length > REPLY_BYTES) return NOT_SMTP
        if (over !== null) return { ok: false, failure: over }
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
    },
    send(command, argument) {
      if (socket.writable) socket.write(`${argument === undefined ? command : `${command} ${argument}`}\r\n`)
    },
    hasMore: () => buffer.length > 0,
    release() {
      unsubscribe()
      socket.off('data', read).off('end', onClose).off('close', onClose).off('error', onError).pause()
    },
  }
}

const LINE = /^(\d{3})(?:([ -])(.*))?$/s

/** The first reply and its length; null while it is incomplete. */
export function takeReply(octets: Buffer): { reply: Reply; octets: number } | 'malformed' | null {
  const lines: string[] = []
  let code: string | undefined
  for (let at = 0; at < octets.length; ) {
    const feed = octets.indexOf(0x0a, at)
    const isWhole = feed !== -1
    const text = octets.toString('latin1', at, isWhole ? feed : octets.length).replace(/\r$/, '')
    // Fails early on a line that cannot be part of a reply.
    if (!isWhole) return /^\d{0,3}$|^\d{3}[ -]/.test(text) ? null : 'malformed'
    const [, number, mark = ' ', rest = ''] = LINE.exec(text) ?? []
    if (number === undefined || (code !== undefined && number !== code) || lines.length === LINES) return 'malformed'
    code = number
    lines.push(rest)
    at = feed + 1
    if (mark === ' ') return { reply: { code: Number(number), lines }, octets: at }
  }
  return null
}

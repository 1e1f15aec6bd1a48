// Hands mail to a server of the operator (RFC 6409). The server is configuration, like a database: it may be internal, and its name is
// looked up by nodemailer: in the DNS, and else as any program of this machine would.
import { rootCertificates } from 'node:tls'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { timeLimit } from '../base/abort.ts'

export interface SubmissionServer {
  readonly host: string
  readonly port: number
  /** `starttls` and `implicit` send nothing before the certificate is verified. */
  readonly tls: 'starttls' | 'implicit' | 'none'
  readonly user: string | null
  readonly password: string | null
  /** Sent with EHLO. */
  readonly name: string
  /** Extra trust anchors, PEM. */
  readonly extra_roots?: string | undefined
}

export interface PlainMail {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly date: Date
  /** The same for all attempts, so that a mailbox can recognise a message that arrives twice. */
  readonly message_id: string
  readonly headers: Readonly<Record<string, string>>
}

export interface SubmissionResult {
  /** The reply of the server; null when it gave none. */
  readonly code: number | null
  /** Null when the server took the message: `smtp_550`, `authentication`, `tls`, `timeout`, … */
  readonly failure: string | null
  /** The server will refuse this message to this recipient again. */
  readonly isFinal: boolean
}

export interface SubmissionLimits {
  readonly signal: AbortSignal
  /** Milliseconds until the server has taken the message. A filter may look at it first (RFC 5321 section 4.5.3.2.6). */
  readonly limit_ms: number
  /** Milliseconds until it is connected, and then until it greets. */
  readonly greeting_ms: number
}

/** What the types of nodemailer leave open. */
interface SmtpError {
  readonly code?: string
  /** Of the system or of OpenSSL, behind `ESOCKET`. */
  readonly originalCode?: string
  readonly command?: string
  readonly responseCode?: number
}

const FAILURES: Readonly<Record<string, string>> = {
  EAUTH: 'authentication',
  EDNS: 'not_found',
  ETLS: 'tls',
  ETIMEDOUT: 'timeout',
  EPROTOCOL: 'protocol',
  ECONNECTION: 'closed',
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
}
/** A certificate that does not verify, and other ends of a handshake. */
const OPENSSL_CODE = /^(?:ERR_|[A-DF-Z])/

/** Never rejects, and never repeats replies of the server: replies quote addresses. */
export async function submitMail(
  server: SubmissionServer,
  mail: PlainMail,
  { signal, limit_ms, greeting_ms }: SubmissionLimits,
): Promise<SubmissionResult> {
  const message = await compose(mail)
  return converse(server, { signal, limit_ms, greeting_ms }, ({ connection, fail, succeed }) =>
    connection.send({ from: mail.from, to: [mail.to] }, message, (error, info) =>
      error ? fail(error) : succeed(codeOf(info?.response)),
    ),
  )
}

/** Connects, greets, encrypts and authenticates as for a message, and sends none. Never rejects. */
export const greetMailServer = (server: SubmissionServer, limits: SubmissionLimits): Promise<SubmissionResult> =>
  converse(server, limits, ({ succeed }) => succeed(null))

interface Conversation {
  readonly connection: SMTPConnection
  fail(error: unknown): void
  succeed(code: number | null): void
}

/** `proceed` is called when the server may be given a message. */
async function converse(
  server: SubmissionServer,
  { signal, limit_ms, greeting_ms }: SubmissionLimits,
  proceed: (conversation: Conversation) => void,
): Promise<SubmissionResult> {
  const limit = timeLimit(limit_ms, signal)
  const connection = new SMTPConnection(connectionOptions(server, { limit_ms, greeting_ms }))
  const cutOff = () => refusalOf({ code: signal.aborted ? 'ECONNECTION' : 'ETIMEDOUT' })
  try {
    if (limit.signal.aborted) return cutOff()
    return await new Promise<SubmissionResult>(resolve => {
      const fail = (error: unknown) => resolve(refusalOf(error as SmtpError))
      const succeed = (code: number | null) => resolve({ code, failure: null, isFinal: false })
      limit.signal.addEventListener('abort', () => resolve(cutOff()))
      connection.on('error', fail)
      connection.on('end', () => fail({ code: 'ECONNECTION' }))
      const go = () => proceed({ connection, fail, succeed })
      connection.connect(error => {
        if (error) fail(error)
        else if (server.user === null) go()
        else
          connection.login({ user: server.user, pass: server.password ?? '' }, reason => (reason ? fail(reason) : go()))
      })
    })
  } finally {
    limit.end()
    connection.close()
  }
}

function connectionOptions(
  { host, port, tls, name, extra_roots }: SubmissionServer,
  { limit_ms, greeting_ms }: Omit<SubmissionLimits, 'signal'>,
) {
  return {
    host,
    port,
    name,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    connectionTimeout: greeting_ms,
    greetingTimeout: greeting_ms,
    dnsTimeout: greeting_ms,
    socketTimeout: limit_ms,
    socketCloseTimeout: 0,
    tls: { minVersion: 'TLSv1.2', ...(extra_roots ? { ca: [...rootCertificates, extra_roots] } : {}) },
  } as const
}

const compose = ({ from, to, subject, text, date, message_id, headers }: PlainMail): Promise<Buffer> =>
  new MailComposer({
    from: { name: '', address: from },
    to: { name: '', address: to },
    subject,
    text,
    date,
    headers,
    messageId: message_id,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build()

function refusalOf({ code = '', originalCode = '', command, responseCode }: SmtpError): SubmissionResult {
  const reply = responseCode ?? null
  const isAnswered = code !== 'EAUTH' && code !== 'ETLS' && reply !== null
  const isAboutMail = command === 'RCPT TO' || command === 'DATA' || code === 'EMESSAGE'
  return {
    code: reply,
    failure: isAnswered ? `smtp_${reply}` : (FAILURES[code] ?? FAILURES[originalCode] ?? socketFailure(originalCode)),
    isFinal: isAnswered && isAboutMail && reply >= 500,
  }
}

const socketFailure = (code: string): string => (OPENSSL_CODE.test(code) ? 'tls' : 'unreachable')

const codeOf = (reply = ''): number | null => (/^\d{3}/.test(reply) ? Number(reply.slice(0, 3)) : null)

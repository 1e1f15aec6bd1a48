// A mail server of the lab, as far as checks talk to it: greeting, EHLO, STARTTLS, QUIT, and the ways to get them wrong. It
// answers every other command with an error, and keeps a list of all commands.
import type { Socket } from 'node:net'
import { createSecureContext, type SecureContextOptions, TLSSocket } from 'node:tls'
import { drip, type Step, send } from './lab_script.ts'

export interface LabMail {
  /**
   * - `plain`: an ordinary server; with `credentials` it offers STARTTLS.
   * - `rejects`: greets with code 554, as servers do that distrust the client.
   * - `rejects_ehlo`, `rejects_starttls`: answers that command with an error.
   * - `injects`: sends a reply in the clear behind its consent to STARTTLS.
   * - `breaks_tls`: consents to STARTTLS and sends text.
   * - `closes`: hangs up without a word.
   * - `nonsense`: does not speak SMTP.
   * - `tarpit`: greets one octet a second.
   */
  readonly behaviour?:
    | 'plain'
    | 'rejects'
    | 'rejects_ehlo'
    | 'rejects_starttls'
    | 'injects'
    | 'breaks_tls'
    | 'closes'
    | 'nonsense'
    | 'tarpit'
  /** In the greeting and the answer to EHLO. */
  readonly name: string
  /** The key and certificate of STARTTLS, and other options such as old versions. */
  readonly tls?: SecureContextOptions
  /** Milliseconds before the greeting ends; its first line comes at once. */
  readonly greeting_ms?: number
}

/** `commands` receives every line of the client, also those inside TLS. */
export function labMail(options: LabMail, commands: string[] = []): Step {
  const { behaviour = 'plain', name, greeting_ms = 0 } = options
  if (behaviour === 'nonsense') return send('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
  if (behaviour === 'tarpit') return drip(`220-${name} ESMTP\r\n220 ${name} ready\r\n`, 1, 1_000)
  return socket => {
    if (behaviour === 'closes') socket.end()
    else if (behaviour === 'rejects') socket.write(`554 ${name} No SMTP service here\r\n`)
    else if (greeting_ms === 0) socket.write(`220 ${name} ESMTP Lab\r\n`)
    else {
      socket.write(`220-${name} ESMTP Lab\r\n`)
      setTimeout(() => socket.writable && socket.write(`220 ${name} ready\r\n`), greeting_ms)
    }
    serve(socket, options, commands)
  }
}

function serve(socket: Socket, options: LabMail, commands: string[]): void {
  let buffer = ''
  const read = (chunk: Buffer) => {
    const lines = (buffer + chunk.toString('latin1')).split('\r\n')
    buffer = lines.pop() ?? ''
    for (const line of lines) {
      commands.push(line)
      answer(line)
    }
  }
  const answer = (line: string) => {
    const { behaviour, name, tls } = options
    const verb = line.split(' ', 1)[0]?.toUpperCase()
    if (verb === 'EHLO' && behaviour !== 'rejects_ehlo') {
      const offer = tls === undefined || socket instanceof TLSSocket ? '' : '250-STARTTLS\r\n'
      socket.write(`250-${name} greets you\r\n250-PIPELINING\r\n250-SIZE 10240000\r\n${offer}250 8BITMIME\r\n`)
    } else if (verb === 'STARTTLS' && tls !== undefined && behaviour !== 'rejects_starttls') {
      socket.off('data', read)
      startTls(socket, options, commands)
    } else if (verb === 'QUIT') {
      socket.end('221 Bye\r\n')
    } else {
      socket.write('502 Not implemented\r\n')
    }
  }
  socket.on('data', read).on('error', () => {})
}

function startTls(socket: Socket, options: LabMail, commands: string[]): void {
  const { behaviour, tls } = options
  socket.write(behaviour === 'injects' ? '220 Go ahead\r\n250 MAIL\r\n' : '220 Go ahead\r\n')
  if (behaviour === 'breaks_tls') {
    socket.write('454 TLS not available\r\n')
    return
  }
  const tlsSocket = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(tls) })
  serve(tlsSocket, { ...options, behaviour: 'plain' }, commands)
}

// A certificate authority and an OCSP responder run by the openssl command: what our reader sees is not of our own making.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { temporaryDirectory } from '../temporary_directory.ts'

export interface ResponseOptions {
  /** The line of the certificate in the authority's index; unknown without one. */
  readonly status?: 'good' | 'revoked' | 'revoked_key' | 'unknown'
  /** Who signs: the authority, its responder, a stranger, or a certificate of the authority that may not. */
  readonly signer?: 'root' | 'responder' | 'stranger' | 'leaf'
  /** The certificate that is asked about. */
  readonly about?: 'leaf' | 'other'
  readonly hash?: 'sha1' | 'sha256'
  readonly by_key?: boolean
  /** Without the time of the next update when null. */
  readonly minutes?: number | null
}

export interface OpensslAuthority {
  readonly root: string
  /** DER. */
  der(name: 'root' | 'leaf' | 'demanding'): Buffer
  /** DER. */
  response(options?: ResponseOptions): Buffer
  /** Starts `openssl s_server` with a leaf, and with the response if there is one. */
  serve(leaf: 'leaf' | 'demanding', response: Buffer | null): Promise<{ readonly port: number; close(): Promise<void> }>
}

const extensions = `
[ca]
basicConstraints=critical,CA:TRUE
subjectKeyIdentifier=hash
[leaf]
subjectAltName=DNS:a.example
extendedKeyUsage=serverAuth
[demanding]
subjectAltName=DNS:a.example
extendedKeyUsage=serverAuth
tlsfeature=status_request
[responder]
extendedKeyUsage=OCSPSigning
`

export function createOpensslAuthority(): OpensslAuthority {
  const directory = temporaryDirectory()
  const path = (name: string) => join(directory, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' })
  writeFileSync(path('extensions.cnf'), extensions)
  const certify = (name: string, section: string, serial: number, issuer: string | null) => {
    openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', `${name}.key`)
    openssl('req', '-new', '-key', `${name}.key`, '-subj', `/O=Lab/CN=${name}`, '-out', `${name}.csr`)
    const signed = issuer === null ? ['-signkey', `${name}.key`] : ['-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`]
    const content = ['-extfile', 'extensions.cnf', '-extensions', section, '-set_serial', `${serial}`, '-days', '30']
    openssl('x509', '-req', '-in', `${name}.csr`, ...signed, ...content, '-out', `${name}.pem`)
  }
  certify('root', 'ca', 1, null)
  certify('leaf', 'leaf', 0x4a, 'root')
  certify('other', 'leaf', 0x4b, 'root')
  certify('demanding', 'demanding', 0x4c, 'root')
  certify('responder', 'responder', 0x4d, 'root')
  certify('stranger', 'ca', 1, null)

  function respond(options: ResponseOptions): Buffer {
    const { status = 'good', signer = 'root', about = 'leaf', hash = 'sha1', by_key = false, minutes = 60 } = options
    const revoked = { revoked: '260101120000Z', revoked_key: '260101120000Z,keyCompromise' }[status as 'revoked'] ?? ''
    const line = [revoked === '' ? 'V' : 'R', '400101120000Z', revoked, '4A', 'unknown', '/O=Lab/CN=leaf']
    const other = ['V', '400101120000Z', '', '4B', 'unknown', '/O=Lab/CN=other']
    const lines = status === 'unknown' ? [other] : [line, other]
    writeFileSync(path('index.txt'), lines.map(fields => `${fields.join('\t')}\n`).join(''))
    const asked = [`-${hash}`, '-issuer', 'root.pem', '-cert', `${about}.pem`, '-no_nonce', '-reqout', 'request.der']
    openssl('ocsp', ...asked)
    openssl(
      'ocsp',
      '-index',
      'index.txt',
      '-CA',
      'root.pem',
      '-reqin',
      'request.der',
      '-respout',
      'response.der',
      '-rsigner',
      `${signer}.pem`,
      '-rkey',
      `${signer}.key`,
      ...(by_key ? ['-resp_key_id'] : []),
      ...(minutes === null ? [] : ['-nmin', `${minutes}`]),
    )
    return readFileSync(path('response.der'))
  }

  return {
    root: readFileSync(path('root.pem'), 'utf8'),
    der: name => openssl('x509', '-in', `${name}.pem`, '-outform', 'DER'),
    response: (options = {}) => respond(options),
    async serve(leaf, response) {
      if (response !== null) writeFileSync(path('served.der'), response)
      const port = await freePort()
      const stapled = response === null ? [] : ['-status_file', 'served.der']
      const args = ['s_server', '-accept', `127.0.0.1:${port}`, '-cert', `${leaf}.pem`, '-key', `${leaf}.key`]
      const server = spawn('openssl', [...args, ...stapled, '-www'], {
        cwd: directory,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      await accepting(server)
      return {
        port,
        async close() {
          const ended = once(server, 'close')
          server.kill('SIGKILL')
          await ended
        },
      }
    },
  }
}

/** It prints ACCEPT when it listens. */
function accepting(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    const hear = (text: Buffer) => {
      said += text
      if (said.includes('ACCEPT')) resolve()
    }
    server.stdout?.on('data', hear)
    server.stderr?.on('data', hear)
    server.once('close', () => reject(new Error(said)))
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

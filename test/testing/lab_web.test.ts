import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { connect as tlsConnect } from 'node:tls'
import { createAuthority } from '../../src/testing/lab_ca.ts'
import { close, request, send } from '../../src/testing/lab_script.ts'
import { type LabWeb, startLabWeb } from '../../src/testing/lab_web.ts'

const head = (host: string) => `GET /x HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`

async function ask(web: LabWeb, port: number, host: string, servername = host): Promise<string> {
  const tcp = web.dial('93.184.216.34', port)
  const socket = port === 443 ? tlsConnect({ socket: tcp, servername, rejectUnauthorized: false }) : tcp
  socket.write(head(host))
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk
  })
  await once(socket, 'close')
  return text
}

describe('the lab web', () => {
  let web: LabWeb
  before(async () => {
    const authority = createAuthority()
    const site = (host: string) => ({
      host,
      addresses: ['93.184.216.34'],
      http: () => ({ status: 301, headers: [['Location', `https://${host}/`] as const] }),
      https: () => ({ body: `<title>${host}</title>` }),
      credentials: authority.issue({ names: [host] }),
    })
    web = await startLabWeb([site('a.example'), site('b.example')])
  })
  after(() => web.close())

  it('distinguishes sites of one server and counts requests', async () => {
    assert.match(await ask(web, 443, 'b.example'), /<title>b\.example</)
    assert.match(await ask(web, 443, 'a.example'), /<title>a\.example</)
    assert.match(await ask(web, 80, 'b.example'), /301[\s\S]*https:\/\/b\.example\//)
    assert.deepEqual(web.seen.handshakes, ['b.example', 'a.example'])
    assert.equal(web.seen.connections.length, 3)
    assert.deepEqual(
      web.seen.requests.map(({ host, url, secure }) => [host, url, secure]),
      [
        ['b.example', '/x', true],
        ['a.example', '/x', true],
        ['b.example', '/x', false],
      ],
    )
  })

  it('refuses unknown places and has black holes', async () => {
    const refused = web.dial('192.0.2.9', 443)
    const [error] = await once(refused, 'error').catch(cause => [cause])
    assert.equal(error.code, 'ECONNREFUSED')
    web.place('192.0.2.9', 443, 'black_hole')
    const swallowed = web.dial('192.0.2.9', 443)
    assert.equal(
      await Promise.race([once(swallowed, 'connect'), new Promise(resolve => setTimeout(resolve, 30, 'silence'))]),
      'silence',
    )
    swallowed.destroy()
  })

  it('plays a script on each connection', async () => {
    await web.script('93.184.216.34', 8080, [request(), send('HTTP/1.1 200 OK\r\n\r\nhi'), close()])
    assert.equal(await ask(web, 8080, 'a.example'), 'HTTP/1.1 200 OK\r\n\r\nhi')
    assert.equal(await ask(web, 8080, 'a.example'), 'HTTP/1.1 200 OK\r\n\r\nhi')
  })
})

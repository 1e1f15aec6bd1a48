import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { createSiteSessions, type SiteSession } from '../../src/evidence/site_session/session.ts'
import { createCollector } from '../../src/network/http.ts'
import { createAuthority } from '../../src/testing/lab_ca.ts'
import { type LabDns, startLabDns } from '../../src/testing/lab_dns.ts'
import { type LabWeb, startLabWeb } from '../../src/testing/lab_web.ts'
import { LONG_MS } from '../patience.ts'
import { domainTarget } from './lab_check.ts'
import { openCheck } from './lab_visit.ts'

const authority = createAuthority()
const file = { path: '/file', accept: '*/*', max_bytes: 1_024, timeout_ms: LONG_MS, createReader: createCollector }
const FILE = new URL('https://shop.example/file')

function createLatch() {
  let open = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  return { opened, open }
}

describe('the session with a site', () => {
  let web: LabWeb
  let dns: LabDns
  before(async () => {
    web = await startLabWeb([
      {
        host: 'shop.example',
        addresses: ['192.88.1.1'],
        credentials: authority.issue({ names: ['shop.example'] }),
        https: ({ url }) => ({ body: url }),
      },
    ])
    dns = await startLabDns({ zones: { 'shop.example': { A: ['192.88.1.1'] } } })
  })
  after(async () => {
    await web.close()
    await dns.close()
  })

  function startCheck() {
    const sockets: Socket[] = []
    const dial: LabWeb['dial'] = (address, port) => {
      const socket = web.dial(address, port)
      sockets.push(socket)
      return socket
    }
    const { context, end } = openCheck(web, dns, domainTarget('shop.example'), { dial })
    const sites = createSiteSessions()
    return {
      end,
      use: <Result>(use: (site: SiteSession) => Promise<Result>) => sites.use(context, use),
      /** Whether each connection dialled so far is open. */
      open: () => sockets.map(socket => !socket.destroyed),
    }
  }

  const body = async (site: SiteSession) => {
    const { navigation, reader } = await site.fetch(file, FILE)
    return navigation.failure ?? reader.bytes().toString()
  }

  it('is shared by all users, and closes its connection after the last one', async () => {
    const check = startCheck()
    const leave = createLatch()
    const staying = check.use(async site => {
      await site.page()
      await leave.opened
      return site
    })
    const first = await check.use(async site => {
      await site.page()
      return site
    })
    assert.deepEqual(check.open(), [true])
    leave.open()
    assert.equal(await staying, first)
    assert.deepEqual(check.open(), [false])
    check.end()
  })

  it('closes its connection after a user that rejects', async () => {
    const check = startCheck()
    const failing = check.use(async site => {
      await site.page()
      throw new Error('no')
    })
    await assert.rejects(failing, /no/)
    assert.deepEqual(check.open(), [false])
    check.end()
  })

  it('closes a connection whose handshake was never awaited', async () => {
    const check = startCheck()
    await check.use(async site => void site.secure())
    assert.deepEqual(check.open(), [false])
    check.end()
  })

  it('opens and closes another connection for a later user without requesting the page again', async () => {
    const check = startCheck()
    const page = await check.use(site => site.page())
    const [again, text] = await check.use(async site => [await site.page(), await body(site)] as const)
    assert.equal(again, page)
    assert.equal(text, '/file')
    assert.deepEqual(check.open(), [false, false])
    check.end()
  })

  it('opens another connection for the page after a user that wanted only the handshake', async () => {
    const check = startCheck()
    await check.use(site => site.secure())
    const { navigation } = await check.use(site => site.page())
    assert.deepEqual([navigation.failure, navigation.exchanges[0]?.status], [null, 200])
    assert.deepEqual(check.open(), [false, false])
    check.end()
  })

  // Closing takes several microtasks; a user may join at each of them.
  for (const steps of [0, 1, 2, 3, 4, 5, 6, 7, 8]) {
    it(`stays open for a user that joins ${steps} microtasks after another leaves`, async () => {
      const check = startCheck()
      const left = createLatch()
      const leaving = check.use(async site => {
        await site.page()
        left.open()
      })
      await left.opened
      web.seen.requests.length = 0
      for (let step = 0; step < steps; step++) await null
      const [text, open] = await check.use(async site => [await body(site), check.open()] as const)
      await leaving
      assert.equal(text, '/file')
      assert.equal(web.seen.requests.length, 1)
      assert.equal(open.at(-1), true)
      assert.ok(check.open().every(isOpen => !isOpen))
      check.end()
    })
  }
})

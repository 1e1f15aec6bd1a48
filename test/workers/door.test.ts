// Connections that no worker has taken when the service ends.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createDoor, type Place } from '../../src/workers/door.ts'

const MANY = 5

it('connections that wait for a busy worker are handed to it before the door closes', async t => {
  const door = createDoor()
  const { port } = await door.listen(0, '127.0.0.1')
  let offered = 0
  const send = (_: unknown, socket: Socket, __: unknown, sent: (error: Error | null) => void): boolean => {
    offered++
    t.after(() => socket.destroy())
    sent(null)
    return true
  }
  const place: Place = door.enter({ send: send as never })
  const clients = Array.from({ length: MANY }, () => connect(port, '127.0.0.1').on('error', () => {}))
  t.after(() => {
    for (const client of clients) client.destroy()
  })
  await Promise.all(clients.map(client => once(client, 'connect')))
  while (offered === 0) await pause(1)
  const closed = door.close()
  assert.equal(offered, 1)
  for (let turn = 0; offered < MANY && turn < 1_000; turn++) {
    place.taken()
    await pause(0)
  }
  await closed
  assert.equal(offered, MANY)
})

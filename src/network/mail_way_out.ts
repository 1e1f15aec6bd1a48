// Whether connections to port 25 leave this network. Many clouds and access networks drop or reject them, so silence there
// says nothing about a mail server until another one has answered.
import type { Socket } from 'node:net'
import type { Clock } from '../base/clock.ts'
import type { Family } from './way_out.ts'

/** SMTP between servers (RFC 5321 section 4.5.4.2). */
export const MAIL_PORT = 25

/** Milliseconds for which an answer proves the way, as for other connections. */
const PROVED_MS = 300_000

export type MailWayOut = ReturnType<typeof createMailWayOut>

/** Nothing is sent to prove it: only mail servers that are checked anyway are contacted. */
export function createMailWayOut(clock: Clock) {
  const answerTimes: Record<Family, number> = { 4: Number.NEGATIVE_INFINITY, 6: Number.NEGATIVE_INFINITY }
  /** Open connections that have received nothing yet. */
  const silent = new Map<Socket, Family>()
  // Data alone is proof: some networks accept every connection and answer none.
  const look = (socket: Socket, family: Family) => {
    if (socket.bytesRead === 0) return
    silent.delete(socket)
    answerTimes[family] = clock.monotonic()
  }
  return {
    /** Observes a connection to port 25 of a public address. */
    watch(socket: Socket, family: Family) {
      silent.set(socket, family)
      socket.once('close', () => {
        if (silent.has(socket)) look(socket, family)
        silent.delete(socket)
      })
    },
    /** A server has answered over one of the families lately. */
    isProved(families: readonly Family[]) {
      for (const [socket, family] of silent) look(socket, family)
      return families.some(family => clock.monotonic() - answerTimes[family] < PROVED_MS)
    },
  }
}

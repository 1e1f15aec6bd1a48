// What the error replies of Redis mean to an operator, by the code that they begin with
// (https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors).
import { ErrorReply } from '@redis/client'

/**
 * Where an error reply holds. `server`: this connection can execute no command at present, so it is dropped. `command`: the
 * server works, but will execute this command no better on another connection.
 */
interface Meaning {
  readonly of: 'server' | 'command'
  readonly sentence: string
}

const server = (sentence: string): Meaning => ({ of: 'server', sentence })
const command = (sentence: string): Meaning => ({ of: 'command', sentence })

const meanings: Readonly<Record<string, Meaning>> = {
  LOADING: server('Redis is loading its data'),
  READONLY: server('This Redis is a replica, which only reads: connect to the primary, or through Sentinel'),
  MASTERDOWN: server('This Redis is a replica that has lost its primary: connect to the primary, or through Sentinel'),
  CLUSTERDOWN: server('The cluster does not serve all slots'),
  MOVED: server('Another node of the cluster holds the keys'),
  ASK: server('The cluster is moving the keys to another node'),
  TRYAGAIN: server('The cluster is moving the keys to another node'),
  OOM: server('Redis has reached maxmemory'),
  MISCONF: server('Redis cannot write to its disk'),
  NOREPLICAS: server('Redis has fewer replicas than it needs to write'),
  BUSY: server('A script occupies Redis'),
  NOAUTH: server('Redis requires a password'),
  WRONGPASS: server('Wrong user name or password'),
  NOPERM: command('The user lacks a right: docs/stores.md lists the rights that it needs'),
  CROSSSLOT: command('This Redis is a cluster: set redis.prefix to one with a hash tag, such as {assay}'),
}

/** How a script tells since version 7 that a command of it is not permitted. */
const UNPERMITTED = /^ERR The user executing the script can't /
/** Before version 7 the error of a script quotes the error of its command. */
const CODE = /^(?:ERR Error running script .*: -)?([A-Z]{2,20})\b/

/** Null for an error reply of which nothing is known: Redis refused only this command. */
export function codeOf(fault: unknown): string | null {
  if (!(fault instanceof ErrorReply)) return null
  if (UNPERMITTED.test(fault.message)) return 'NOPERM'
  const code = CODE.exec(fault.message)?.[1] ?? ''
  return Object.hasOwn(meanings, code) ? code : null
}

export const isOfServer = (code: string | null): boolean => code !== null && meanings[code]?.of === 'server'

/** One sentence without a full stop; null for a code that is not in the table. */
export const sentenceOf = (code: string): string | null => meanings[code]?.sentence ?? null

/** The node that `MOVED slot host:port` names; null for any other error. Its host is empty when it is that of the sender. */
export function movedTo(fault: unknown): { readonly host: string; readonly port: number } | null {
  if (codeOf(fault) !== 'MOVED') return null
  const [, host = '', port] = /\bMOVED \d{1,5} (\S{0,255}):(\d{1,5})$/.exec((fault as ErrorReply).message) ?? []
  return port === undefined ? null : { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

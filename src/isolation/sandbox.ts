// Blocks network, processes, threads and signals in the process of an isolated module: its analyzers are pure functions
// of their evidence, and its gatherers ask the service. Node's permissions block writing to files.
import programs from 'node:child_process'
import dgram from 'node:dgram'
import dns from 'node:dns'
import modules, { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import os from 'node:os'
import workers from 'node:worker_threads'

/** All connections, including those of tls, http and fetch, are made by the first function. */
const removed: readonly (readonly [of: object, name: string, names: readonly string[]])[] = [
  [net.Socket.prototype, 'a connection', ['connect']],
  [net.Server.prototype, 'listening', ['listen', '_listen2']],
  [net, 'listening', ['_createServerHandle']],
  [dgram, 'a datagram', functionsOf(dgram)],
  [dns, 'DNS', functionsOf(dns)],
  [dns.promises, 'DNS', functionsOf(dns.promises)],
  [dns.Resolver.prototype, 'DNS', functionsOf(dns.Resolver.prototype)],
  [dns.promises.Resolver.prototype, 'DNS', functionsOf(dns.promises.Resolver.prototype)],
  // A new thread would have all of these again, including Node's loader thread.
  [workers, 'a thread', ['Worker']],
  [modules, 'a thread', ['register']],
  [programs, 'a program', functionsOf(programs).filter(name => name !== 'ChildProcess')],
  [programs.ChildProcess.prototype, 'a program', ['spawn']],
  [process, 'a signal', ['kill', '_kill', '_debugProcess']],
  [os, 'a priority', ['setPriority']],
  [process, 'native code', ['dlopen', 'binding', '_linkedBinding']],
]

function functionsOf(of: object): readonly string[] {
  const names = [...Object.getOwnPropertyNames(of), ...Object.getOwnPropertyNames(Object.getPrototypeOf(of))]
  return names.filter(name => name !== 'constructor' && typeof Reflect.get(of, name) === 'function')
}

/** Makes each of these throw. Must be called before the module is loaded. */
export function sandbox(): void {
  for (const [of, what, names] of removed) {
    const value = function refused() {
      throw new Error(`${what} is not available to isolated plugins`)
    }
    for (const name of names) Object.defineProperty(of, name, { value, writable: false, configurable: false })
  }
  syncBuiltinESMExports()
}

// Blocks network, processes, threads, signals and the few writers of files that Node's permission model lets pass, in the
// process of an isolated module. These are functions that throw: a boundary for mistakes, not for malicious code.
import programs from 'node:child_process'
import dgram from 'node:dgram'
import dns from 'node:dns'
import modules, { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import os from 'node:os'
import traces from 'node:trace_events'
import v8 from 'node:v8'
import workers from 'node:worker_threads'

/** The first function makes all connections, including connections of tls, http and fetch. */
const REMOVED_PROPERTIES: readonly (readonly [of: object, name: string, names: readonly string[]])[] = [
  [net.Socket.prototype, 'a connection', ['connect']],
  [net.Server.prototype, 'listening', ['listen', '_listen2']],
  [net, 'listening', ['_createServerHandle']],
  [dgram, 'a datagram', functionsOf(dgram)],
  [dns, 'DNS', functionsOf(dns)],
  [dns.promises, 'DNS', functionsOf(dns.promises)],
  [dns.Resolver.prototype, 'DNS', functionsOf(dns.Resolver.prototype)],
  [dns.promises.Resolver.prototype, 'DNS', functionsOf(dns.promises.Resolver.prototype)],
  // A thread has neither these blocks nor the permissions of the process.
  [workers, 'a thread', ['Worker']],
  [modules, 'a thread', ['register']],
  [programs, 'a program', functionsOf(programs).filter(name => name !== 'ChildProcess')],
  [programs.ChildProcess.prototype, 'a program', ['spawn']],
  [process, 'a program', ['execve']],
  [process, 'a signal', ['kill', '_kill', '_debugProcess']],
  [os, 'a priority', ['setPriority']],
  [process, 'native code', ['dlopen', 'binding', '_linkedBinding']],
  // Both write into the working directory, whatever the permissions (Node 20 and 22).
  [traces, 'a trace', ['createTracing']],
  [v8, 'a setting of V8', ['setHeapSnapshotNearHeapLimit', 'setFlagsFromString']],
]

function functionsOf(of: object): readonly string[] {
  const names = [...Object.getOwnPropertyNames(of), ...Object.getOwnPropertyNames(Object.getPrototypeOf(of))]
  return names.filter(name => name !== 'constructor' && typeof Reflect.get(of, name) === 'function')
}

/** Makes each of these throw. Must be called before the module is loaded. */
export function sandbox(): void {
  for (const [of, what, names] of REMOVED_PROPERTIES) {
    const value = function refuse() {
      throw new Error(`${what} is not available to isolated plugins`)
    }
    for (const name of names) Object.defineProperty(of, name, { value, writable: false, configurable: false })
  }
  syncBuiltinESMExports()
}

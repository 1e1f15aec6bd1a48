// The cost of the name model: load time, memory, and time per name.
// Run: node --expose-gc --import tsx lab/evaluation/name_model.ts
import { readFileSync, statSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { decodeModel } from '../../src/evidence/name_score/model_file.ts'
import { createNameModel, shippedModelPath } from '../../src/evidence/name_score/name_model.ts'

const names = 100_000
const bounds = { microseconds: 20, milliseconds: 300, megabytes: 30, fileMegabytes: 4 }

const words = ['login', 'garden', 'shop', 'secure', 'news', 'bank', 'river', 'blue', 'online', 'qzxv', 'update', 'city']
const suffixes = ['com', 'co.uk', 'xyz', 'github.io', 'com.br', 'top', 'de', 'pages.dev']

/** Names of different lengths, some with subdomains; all different, so that caches do not help. */
function nameOf(index: number): string {
  const word = (shift: number) => words[(index >> shift) % words.length] ?? ''
  const subdomain = index % 3 === 0 ? `${word(3)}.${word(5)}${index % 7}.` : ''
  return `${subdomain}${word(0)}-${word(2)}${index.toString(36)}.${suffixes[index % suffixes.length]}`
}

/** Released buffers are freed some time after the collection. */
const memory = async () => {
  globalThis.gc?.()
  await setTimeout(100)
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 1e6
}

const hosts = Array.from({ length: names }, (_, index) => nameOf(index))
const before = await memory()
const began = performance.now()
const model = createNameModel(decodeModel(readFileSync(shippedModelPath)))
const loadMs = performance.now() - began
const megabytes = (await memory()) - before
for (const host of hosts.slice(0, 5_000)) model.score(host)

const rounds = [1, 2, 3, 4, 5].map(() => {
  const cpu = process.cpuUsage()
  for (const host of hosts) model.score(host)
  const { user, system } = process.cpuUsage(cpu)
  return (user + system) / names
})

console.table([
  { what: 'file, MB', measured: statSync(shippedModelPath).size / 1e6, most: bounds.fileMegabytes },
  { what: 'load, ms', measured: loadMs, most: bounds.milliseconds },
  { what: 'memory, MB', measured: megabytes, most: bounds.megabytes },
  { what: 'CPU per name, µs', measured: Math.min(...rounds), most: bounds.microseconds },
])

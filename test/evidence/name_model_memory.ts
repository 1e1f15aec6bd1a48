// Reads the shipped model, and prints by how many octets the process has grown. Run with --expose-gc.
import { setTimeout as pause } from 'node:timers/promises'
import { shippedNameModel } from '../../src/evidence/name_score/name_model.ts'

async function resident(): Promise<number> {
  for (let round = 0; round < 4; round++) {
    ;(globalThis as { gc?: () => void }).gc?.()
    await pause(2)
  }
  return process.memoryUsage().rss
}

const before = await resident()
const { score } = shippedNameModel()
score('example.com')
console.log((await resident()) - before)

// The body of the last response of a journey, whole.
import type { Receive } from './http.ts'

export interface Collector {
  readonly receive: Receive
  bytes(): Buffer
}

export function createCollector(): Collector {
  let chunks: Buffer[] = []
  return {
    receive: () => {
      chunks = []
      return chunk => void chunks.push(chunk)
    },
    bytes: () => Buffer.concat(chunks),
  }
}

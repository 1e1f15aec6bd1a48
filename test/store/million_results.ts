// Keeps a million results of distinct names, and prints what the cache says it holds and what it takes of memory, in octets.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { cacheKey, createResultCache } from '../../src/store/result_cache.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

function held(): number {
  // What is outside the heap goes a collection after its owner.
  for (let round = 0; round < 3; round++) collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const names = 1_000_000
/** More than there is room for: what is held in the end has octets of its own. What went before need not, which saves seconds. */
const own = 150_000
/** Octets: the smaller a result, the more what stands beside its octets weighs. */
const result = 200
const shared = Buffer.allocUnsafeSlow(result)

const cache = createResultCache()
const before = held()
let most = 0
for (let n = 0; n < names; n++) {
  const domain = `name-${n}.example.com`
  const target = {
    kind: 'domain',
    domain,
    ip: null,
    registrable: 'example.com',
    registered: 'example.com',
    url: null,
    visit: true,
  } as const
  cache.put(cacheKey(target, 'policy'), n < names - own ? shared : Buffer.allocUnsafeSlow(result), 'complete')
  most = Math.max(most, cache.size)
}
const taken = held() - before
console.log(JSON.stringify({ most, taken, last: cache.size }))

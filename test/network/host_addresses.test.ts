import assert from 'node:assert/strict'
import { it } from 'node:test'
import { hostAddresses } from '../../src/network/host_addresses.ts'
import { limits } from '../../src/network/limits.ts'
import type { CheckNetwork } from '../../src/network/network.ts'

it('considers sixteen of thousands of addresses, alternating the families', async () => {
  const v6 = Array.from({ length: 2_000 }, (_, at) => `2606:4700::${at.toString(16)}`)
  const v4 = Array.from({ length: 2_000 }, (_, at) => `93.184.${at >> 8}.${at & 255}`)
  const vetted: string[] = []
  const network = {
    limits,
    resolver: {
      query: async (_name: string, type: string) => ({ status: 'found', cnames: [], records: type === 'A' ? v4 : v6 }),
    },
    refuseName: () => null,
    refuse(address: string) {
      vetted.push(address)
      return address === '93.184.0.1' ? 'tested' : null
    },
  } as unknown as CheckNetwork
  const found = await hostAddresses(network, 'many.example', new AbortController().signal)
  const considered = Array.from({ length: 8 }, (_, at) => [v6[at], v4[at]]).flat()
  assert.deepEqual(found, { ok: true, addresses: considered.filter(address => address !== '93.184.0.1') })
  assert.ok(vetted.length <= 2 * 16, `${vetted.length} vetted`)
})

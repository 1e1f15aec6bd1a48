import assert from 'node:assert/strict'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { UnusableDataset } from '../../../src/knowledge/datasets/dataset.ts'
import { openMmdb } from '../../../src/knowledge/datasets/mmdb.ts'
import { type MmdbValue, writeMmdb } from '../../../src/testing/lab_mmdb.ts'

let directory = ''
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-mmdb-'))
})
after(() => rm(directory, { recursive: true }))

async function file(name: string, content: Buffer | string): Promise<string> {
  const path = join(directory, name)
  await writeFile(path, content)
  return path
}

const open = async (name: string, networks: Record<string, MmdbValue>) =>
  openMmdb(await file(name, writeMmdb(networks, { type: 'Lab-City', built_at: new Date('2026-11-01T00:00:00Z') })))

describe('an MMDB file', () => {
  it('states its type and build date', async () => {
    const { type, built_at } = await open('about.mmdb', { '192.0.2.0/24': {} })
    assert.deepEqual([type, built_at], ['Lab-City', '2026-11-01T00:00:00.000Z'])
  })

  it('returns the record of the longest prefix in any order and IP version', async () => {
    const database = await open('nested.mmdb', {
      '198.51.100.128/25': 'half',
      '198.51.100.0/24': 'whole',
      '198.51.100.7/32': 'one',
      '2001:db8::/32': 'six',
      '2001:db8::1/128': 'single',
    })
    const addresses = [
      '198.51.100.1',
      '198.51.100.7',
      '198.51.100.200',
      '198.51.101.1',
      '2001:db8::2',
      '2001:db8::1',
      '2001:db9::',
    ]
    assert.deepEqual(
      addresses.map(address => database.lookup(address)),
      ['whole', 'one', 'half', null, 'six', 'single', null],
    )
  })

  it('supports every kind of value', async () => {
    const record = {
      text: 'Zürich',
      long: 'x'.repeat(300),
      longer: 'y'.repeat(70_000),
      yes: true,
      no: false,
      zero: 0,
      large: 4_294_967_295,
      negative: -122.5,
      list: ['a', 1, []],
      map: { empty: {} },
    }
    assert.deepEqual((await open('kinds.mmdb', { '192.0.2.1/32': record })).lookup('192.0.2.1'), record)
  })

  it('agrees with longest-prefix matching for any networks', async () => {
    const v4 = fc.tuple(fc.ipV4(), fc.integer({ min: 1, max: 32 }))
    const v6 = fc.tuple(fc.ipV6(), fc.integer({ min: 97, max: 128 }))
    const networks = fc.uniqueArray(fc.oneof(v4, v6), { maxLength: 20, selector: network => bits(network).join('') })
    await fc.assert(
      fc.asyncProperty(networks, fc.array(fc.oneof(fc.ipV4(), fc.ipV6()), { maxLength: 10 }), async (given, others) => {
        const database = await open(
          'any.mmdb',
          Object.fromEntries(given.map(([ip, length]) => [`${ip}/${length}`, `${ip}/${length}`])),
        )
        for (const address of [...given.map(([ip]) => ip), ...others]) {
          const canonical = ipaddr.parse(address).toString()
          const matching = given
            .filter(network => matches(network, canonical))
            .toSorted((a, b) => bits(b).length - bits(a).length)
          const [best] = matching
          assert.equal(database.lookup(canonical), best === undefined ? null : best.join('/'))
        }
      }),
      { numRuns: 60 },
    )
  })
})

function bits([ip, length]: readonly [string, number]): string[] {
  const bytes = ipaddr.parse(ip).toByteArray()
  const all = [...new Array<number>(16 - bytes.length).fill(0), ...bytes]
  return [...all.map(byte => byte.toString(2).padStart(8, '0')).join('')].slice(0, (16 - bytes.length) * 8 + length)
}

const matches = (network: readonly [string, number], address: string) =>
  bits([address, ipaddr.parse(address).toByteArray().length * 8])
    .join('')
    .startsWith(bits(network).join(''))

describe('an unusable file', () => {
  const sound = writeMmdb({ '192.0.2.0/24': { country: { iso_code: 'DE' } } })
  const rows: readonly [string, () => Promise<string>, RegExp][] = [
    ['is absent', async () => join(directory, 'absent.mmdb'), /absent\.mmdb: no such file$/],
    ['is a directory', async () => directory, /: is not a file$/],
    ['is empty', () => file('empty.mmdb', ''), /: is not an MMDB file$/],
    ['is text', () => file('text.mmdb', 'country,code\n'.repeat(100)), /: is not an MMDB file$/],
    ['is still compressed', () => file('gzip.mmdb', Buffer.from([0x1f, 0x8b, 8, 0])), /: is not an MMDB file$/],
    ['has lost its end', () => file('cut.mmdb', sound.subarray(0, sound.length - 40)), /: is not an MMDB file$/],
    ['has lost its beginning', () => file('head.mmdb', sound.subarray(-200)), /: is truncated$/],
    ['is larger than we hold in memory', sparse, /: is larger than 536870912 octets$/],
  ]
  for (const [title, make, message] of rows) {
    it(`is rejected with the reason when it ${title}`, async () => {
      await assert.rejects(
        openMmdb(await make()),
        error => error instanceof UnusableDataset && message.test(error.message),
      )
    })
  }

  async function sparse(): Promise<string> {
    const path = await file('sparse.mmdb', '')
    await truncate(path, 513 * 1024 * 1024)
    return path
  }
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { contentCodings, createDecoder } from '../../src/network/content_coding.ts'
import { limits } from '../../src/network/limits.ts'
import { measureCost } from '../cpu.ts'
import { octetsHeld } from '../memory.ts'

const MiB = 1024 * 1024
type Encode = (octets: Buffer) => Buffer
const encoders: Record<string, readonly [coding: string, encode: Encode]> = {
  gzip: ['gzip', octets => gzipSync(octets)],
  'x-gzip': ['x-gzip', octets => gzipSync(octets)],
  'deflate in zlib format': ['deflate', octets => deflateSync(octets)],
  'deflate in raw format': ['deflate', octets => deflateRawSync(octets)],
  br: ['br', octets => brotliCompressSync(octets, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })],
}

async function decode(codings: readonly string[], input: Buffer, max_bytes = 2 * MiB, slice = input.length) {
  const chunks: Buffer[] = []
  const told: string[] = []
  const decoder = createDecoder(codings, {
    max_bytes,
    receive: chunk => chunks.push(Buffer.from(chunk)),
    fault: fault => told.push(fault),
  })
  for (let at = 0; at < input.length; at += slice) decoder.write(input.subarray(at, at + slice))
  const fault = await decoder.end()
  assert.deepEqual(told, fault === null ? [] : [fault])
  return { fault, body: Buffer.concat(chunks) }
}

describe('the codings a response names', () => {
  const table: [fields: string[], codings: readonly string[] | null][] = [
    [[], []],
    [['identity'], []],
    [['GZip'], ['gzip']],
    [['gzip, br'], ['br', 'gzip']],
    [
      ['gzip', 'deflate'],
      ['deflate', 'gzip'],
    ],
    [[' , gzip,, '], ['gzip']],
    [['gzip, gzip, gzip'], null],
    [['zstd'], null],
    [['X-Compress'], null],
    [['gzip, dcz'], null],
    [[`${'identity,'.repeat(99)}gzip`], ['gzip']],
    [['UTF-8'], []],
    [['none', 'gzip'], []],
    [['constructor'], []],
    [['gzip;q=1'], []],
  ]
  for (const [fields, codings] of table) {
    it(`reads ${JSON.stringify(fields).slice(0, 60)} as ${JSON.stringify(codings)}`, () => {
      assert.deepEqual(contentCodings(fields, limits.content_codings), codings)
    })
  }
})

describe('undoing content codings', () => {
  const page = Buffer.from('<p>grüße</p>'.repeat(5_000))
  const bombs = new Map<string, Buffer>()
  /** One bomb per coding, because making one takes longer than decoding it. */
  function bombIn(title: string, encode: Encode): Buffer {
    const bomb = bombs.get(title) ?? encode(Buffer.alloc(32 * MiB))
    bombs.set(title, bomb)
    return bomb
  }

  for (const [title, [coding, encode]] of Object.entries(encoders)) {
    it(`decodes ${title}`, async () => {
      assert.deepEqual(await decode([coding], encode(page)), { fault: null, body: page })
    })

    it(`returns what a truncated ${title} holds`, async () => {
      const { fault, body } = await decode([coding], encode(page).subarray(0, -9))
      assert.equal(fault, null)
      assert.equal(page.subarray(0, body.length).compare(body), 0)
    })

    it(`ignores data after ${title}, as browsers do`, async () => {
      for (const rest of ['<!-- garbage -->', '\0\0\0\0', '\u001f\u008bmore']) {
        const octets = Buffer.concat([encode(page), Buffer.from(rest, 'latin1')])
        for (const slice of [1, 1_000, octets.length]) {
          assert.deepEqual(await decode([coding], octets, MiB, slice), { fault: null, body: page })
        }
      }
    })

    for (const outer of [null, 'gzip', 'br'] as const) {
      it(`cuts a bomb of ${title}${outer === null ? '' : ` within ${outer}`} at the cap, in constant memory`, async () => {
        const bomb = bombIn(title, encode)
        const wire = outer === null ? bomb : (encoders[outer]?.[1](bomb) ?? page)
        const codings = outer === null ? [coding] : [outer, coding]
        const before = octetsHeld()
        let walks = Number.POSITIVE_INFINITY
        // Includes what the rest of the process allocates.
        for (let tries = 0; walks > 20 && tries < 4; tries++) {
          const cost = measureCost()
          const { fault, body } = await decode(codings, wire)
          walks = cost()
          assert.deepEqual([fault, body.length], ['too_large', 2 * MiB])
          const more = octetsHeld() - before
          assert.ok(more < 32 * MiB, `${more} octets more`)
        }
        assert.ok(walks <= 20, `${walks} walks`)
      })
    }
  }

  it('cuts uncoded data at the cap', async () => {
    const { fault, body } = await decode([], page, 100, 33)
    assert.deepEqual([fault, body.length], ['too_large', 100])
  })

  it('stops inside a coding whose intermediate output exceeds the cap', async () => {
    const emptyBlocks = Buffer.concat([Buffer.from([0x78, 0x9c]), Buffer.alloc(40 * MiB)])
    for (let at = 2; at + 5 <= emptyBlocks.length; at += 5) emptyBlocks.writeUInt16LE(0xffff, at + 3)
    const { fault, body } = await decode(['gzip', 'deflate'], gzipSync(emptyBlocks))
    assert.deepEqual([fault, body.length], ['too_large', 0])
  })

  for (const coding of ['gzip', 'deflate', 'br']) {
    it(`reports bad_encoding for data that is not ${coding}`, async () => {
      const { fault } = await decode([coding], Buffer.from('<!doctype html><title>plain</title>'.repeat(9)))
      assert.equal(fault, 'bad_encoding')
    })
  }

  it('returns nothing for no data', async () => {
    assert.deepEqual(await decode(['gzip'], Buffer.alloc(0)), { fault: null, body: Buffer.alloc(0) })
  })

  it('does not depend on how the octets are sliced, and ends on any octets', async () => {
    const octets = fc.uint8Array({ maxLength: 600 }).map(bytes => Buffer.from(bytes))
    const names = fc.constantFrom(...Object.keys(encoders))
    await fc.assert(
      fc.asyncProperty(octets, names, fc.integer({ min: 1, max: 50 }), async (input, name, slice) => {
        const [coding, encode] = encoders[name] ?? ['', (one: Buffer) => one]
        assert.deepEqual(await decode([coding], encode(input), MiB, slice), { fault: null, body: input })
        await decode([coding], input, MiB, slice)
        await decode([coding, 'gzip'], input, MiB, slice)
      }),
      { numRuns: 60 },
    )
  })
})

// docs/exchange.md shows what the service makes.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { EXCHANGE_FORMATS, mediaTypeOf } from '../../../src/results/exchange/formats.ts'
import { readResult } from '../../golden/files.ts'
import { exchange, type Plain } from './results.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/exchange.md'), 'utf8')
const blocks = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(([, text = '']) => JSON.parse(text) as Plain)

describe('docs/exchange.md', () => {
  it('shows the indicator of the golden result', () => {
    const golden = readResult('phishing') as unknown as Plain
    const { objects } = exchange('stix', golden, { tlp: null, public_url: null }) as { objects: readonly Plain[] }
    assert.deepEqual(
      blocks.find(({ type }) => type === 'indicator'),
      objects.find(({ type }) => type === 'indicator'),
    )
  })

  it('lists every format with its media type', () => {
    const rows = [...page.matchAll(/^\| `([a-z]+)` \| `([^`]+)` \|/gm)].map(([, format, type]) => [format, type])
    const formats = EXCHANGE_FORMATS.map(format => [format, mediaTypeOf(format)])
    assert.deepEqual(rows, [['json', 'application/json'], ['report', 'application/json'], ...formats])
  })

  it('uses only these formats in its commands', () => {
    const named = [...page.matchAll(/(?:format=|--format )([a-z]+)/g)].map(([, format = '']) => format)
    assert.deepEqual(new Set(named), new Set(EXCHANGE_FORMATS))
  })
})

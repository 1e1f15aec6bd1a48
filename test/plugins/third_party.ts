// What every source of the shape `thirdParty` does, with its service on loopback.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { hostsNamed } from '../service/hosts.ts'
import { allOff, type Lab, startLab } from '../service/lab.ts'

export const TARGET = 'healthy-shop.lab'
/** Of the same owner; the service knows nothing about it. */
const OTHER = '193.0.14.11'

export interface Source {
  readonly extension: string
  /** Empty where none is needed. */
  readonly key: string
  /** The header that carries the key. */
  readonly header: string
  /** What is asked for. */
  readonly url: RegExp
  /** As the service answers. */
  readonly body: string
  readonly section: object
  /** What is said of an address about which the service answers 404; absent where it is asked about names alone. */
  readonly none?: { readonly section: object } | { readonly reason: string }
  readonly read: (body: unknown, subject: string) => unknown
}

const NO_ANSWERS = [null, 'x', {}, [null], [1], { error: 'x' }, { results: 1, total: 1 }, { noise: 1 }]

export function describeSource(name: string, source: Source): void {
  const { extension, key, header, url, body, section, none, read } = source
  const host = `${extension.replaceAll('_', '-')}.example`

  describe(name, () => {
    let lab: Lab
    let isDown = false
    const asked: (readonly [url: string, key: unknown])[] = []
    const start = (options: object) =>
      startLab({
        hosts: [
          ...hostsNamed(TARGET),
          {
            name: host,
            addresses: ['193.0.14.210'],
            https(request) {
              asked.push([request.url, request.headers[header]])
              if (isDown) return { status: 500, body: '' }
              return request.url.includes(OTHER) ? { status: 404, body: '{"message":"unknown"}' } : { body }
            },
          },
        ],
        settings: { plugins: { ...allOff, dns_security: true, [name]: true, [extension]: { options } } },
      })
    before(async () => {
      lab = await start({ endpoint: `https://${host}`, key })
    })
    after(() => lab.close())

    it('asks once, with its key, and shows the answer', async () => {
      const { result } = await lab.check({ domain: TARGET })
      assert.deepEqual(result[name], section, JSON.stringify(result.coverage.sections[name]))
      assert.deepEqual(
        asked.map(([, sent]) => sent),
        [key === '' ? undefined : key],
      )
      assert.match(String(asked[0]?.[0]), url)
      assert.ok(key === '' || !JSON.stringify(result).includes(key))
    })

    if (none !== undefined)
      it('tells what it does not know from what it could not ask', async () => {
        const { result } = await lab.check({ ip: OTHER })
        const { reason } = result.coverage.sections[name] ?? {}
        assert.deepEqual('section' in none ? { section: result[name] } : { reason }, none)
      })

    if (key !== '')
      it('asks nothing without a key', async t => {
        asked.length = 0
        const other = await start({ endpoint: `https://${host}` })
        t.after(() => other.close())
        const { result } = await other.check({ domain: TARGET })
        assert.deepEqual([result.coverage.sections[name]?.reason, asked], ['not_configured', []])
      })

    it('leaves the result complete when it does not answer, and says so', async t => {
      isDown = true
      const other = await start({ endpoint: `https://${host}`, key })
      t.after(() => other.close())
      const { coverage } = (await other.check({ domain: TARGET })).result
      const { status, reason } = coverage.sections[name] ?? {}
      assert.deepEqual([coverage.complete, coverage.ratio, status, reason], [true, 1, 'unavailable', 'status_500'])
    })

    it('reads nothing else', () =>
      assert.deepEqual(
        NO_ANSWERS.map(answer => read(answer, TARGET)),
        NO_ANSWERS.map(() => null),
      ))
  })
}

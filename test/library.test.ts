import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Assay, createEngine } from '../src/index.ts'
import { type LabInternet, startLabInternet } from '../src/testing/lab_internet.ts'
import { hostsNamed } from './service/hosts.ts'

describe('assay as a library', () => {
  let internet: LabInternet
  let assay: Assay
  before(async () => {
    internet = await startLabInternet(hostsNamed('healthy-shop.lab'))
    assay = await createEngine(
      {
        network: { resolvers: [internet.dns.address] },
        downloads: { enabled: false },
        green_hosting: { enabled: false },
        plugins: { carbon_footprint: false },
      },
      { dial: internet.dial, extra_roots: internet.root },
    )
  })
  after(async () => {
    await assay.close()
    await internet.close()
  })

  it('checks a name with a configuration', async () => {
    const { domain, verdict, cached, carbon_footprint, ssl_info } = await assay.check('healthy-shop.lab')
    assert.deepEqual([domain, verdict, cached, carbon_footprint], ['healthy-shop.lab', 'safe', false, null])
    assert.equal((ssl_info as { valid: boolean }).valid, true)
  })

  it('checks an address, and a name at one', async () => {
    const { ip, domain } = await assay.check('193.0.14.10')
    assert.deepEqual([ip, domain], ['193.0.14.10', null])
    const both = await assay.check({ domain: 'healthy-shop.lab', ip: '193.0.14.10' })
    assert.deepEqual([both.ip, both.domain], ['193.0.14.10', 'healthy-shop.lab'])
  })

  it('reports why a target is invalid', async () => {
    await assert.rejects(assay.check('10.0.0.1'), {
      name: 'TypeError',
      message: 'The target is not globally reachable: 10.0.0.1 is a special address (private use).',
    })
    await assert.rejects(assay.check('localhost'), { name: 'TypeError', message: 'The domain is a single label.' })
    for (const [target, message] of [
      [undefined, 'Specify a domain, an ip or a url.'],
      [{}, 'Specify a domain, an ip or a url.'],
      [5, 'Specify a domain, an ip or a url.'],
      [{ domain: ['a.org'] }, 'The target must be a string (name, address or URL) or { domain, ip } with strings.'],
      ['https://a.org:22/', 'The port of the url is not one of 80, 443, 8080, 8443.'],
      ['https://me@a.org/', 'The url contains user information (a name or password before @); remove it.'],
      [
        { domain: 'a.org', ip: 5 },
        'The target must be a string (name, address or URL) or { domain, ip } with strings.',
      ],
    ] as const) {
      await assert.rejects(assay.check(target as unknown as string), { name: 'TypeError', message })
    }
  })

  it('checks the page of a URL, or judges it without a visit', async () => {
    const url = 'https://healthy-shop.lab/'
    const { domain, final_url, coverage } = await assay.check(url)
    assert.deepEqual([domain, final_url], ['healthy-shop.lab', url])
    const unseen = await assay.check(url, { visit: false })
    assert.deepEqual([unseen.url, unseen.final_url, unseen.confidence], [url, null, 'low'])
    const sections = unseen.coverage['sections' as never] as Readonly<Record<string, { reason: string | null }>>
    assert.equal(sections['content_analysis']?.reason, 'not_visited')
    assert.ok(coverage.ratio > 0)
    for (const option of ['visit', 'render'])
      await assert.rejects(assay.check(url, { [option]: 'no' }), { name: 'TypeError' })
  })

  it('renders nothing without a browser', async () => {
    const check = assay.check('healthy-shop.lab', { render: true })
    await assert.rejects(check, { name: 'TypeError', message: /rendering\.browser/ })
  })

  it('is cancelled by its signal', async () => {
    await assert.rejects(assay.check('healthy-shop.lab', { signal: AbortSignal.abort() }), { name: 'Cancelled' })
  })

  for (const [section, shape] of [
    ['plugins', 'an object'],
    ['scoring', 'an object'],
    ['load', 'an array'],
  ]) {
    it(`lists every configuration error even if ${section} is invalid`, async () => {
      await assert.rejects(createEngine({ [`${section}`]: null, netwrok: {} }), {
        name: 'Error',
        message:
          'The configuration has 2 errors:\n' +
          '  netwrok: unknown key; did you mean "network"?\n' +
          `  ${section}: must be ${shape}`,
      })
    })
  }

  it('lists every configuration error', async () => {
    await assert.rejects(createEngine({ plugins: { cokies: false }, netwrok: {} }), error => {
      assert.match((error as Error).message, /netwrok: unknown key; did you mean "network"\?/)
      assert.match((error as Error).message, /plugins\.cokies: unknown plugin; did you mean "cookies"\?/)
      return true
    })
  })
})

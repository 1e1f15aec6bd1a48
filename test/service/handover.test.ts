// Pages that lead visitors on by themselves, through a whole service: what is judged, recommended, shown and kept.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { knownDatasets } from '../../src/knowledge/datasets/known_datasets.ts'
import { site } from '../../src/testing/demo/pages.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { type Lab, startLab } from './lab.ts'

const off = Object.fromEntries(knownDatasets.map(({ id }) => [id, false]))
const listed = join(temporaryDirectory(), 'listed')
writeFileSync(listed, 'collector-of-pages.lab\n')

const refresh = (to: string) => `<meta http-equiv="refresh" content="0; url=${to}">`
const frame = (to: string) => `<title>Bakery</title><iframe src="${to}" style="width:100%;height:100%"></iframe>`
const article = `<h1>Bakery</h1>${'<p>Rye bread, cakes and rolls, every morning from six.'.repeat(12)}`
const pages: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'leads-home.lab': { '/': refresh('/home'), '/home': article },
  'leads-to-listed.lab': { '/': refresh('https://collector-of-pages.lab/') },
  'frames-listed.lab': { '/': frame('https://collector-of-pages.lab/') },
  'collector-of-pages.lab': { '/': article },
  'leads-inside.lab': { '/': refresh('http://10.0.0.1/') },
  'written-by-script.lab': { '/': '<div id="root"></div><script src="/app.js"></script>' },
}

describe('a service that meets pages which lead on', () => {
  let lab: Lab
  before(async () => {
    lab = await startLab({
      hosts: Object.entries(pages).map(([name, paths], at) => ({
        name,
        addresses: [`193.0.14.${at + 1}`],
        https: site(Object.fromEntries(Object.entries(paths).map(([path, body]) => [path, { body }]))),
      })),
      settings: {
        datasets: {
          ...off,
          names: { use: 'feed', path: listed, category: 'phishing', strength: 'strong', name: 'Names' },
        },
      },
    })
  })
  after(() => lab.close())

  const check = async (domain: string) => {
    const checked = await lab.check({ domain })
    const { result } = checked
    const content = result['content_analysis'] as Record<string, unknown>
    return { ...checked, result, content, ...result } as typeof checked & { content: typeof content } & typeof result
  }

  it('judges the page behind a refresh, and shows how it got there', async () => {
    const { content, ...result } = await check('leads-home.lab')
    assert.equal(result['recommendation'], 'allow')
    assert.doesNotMatch(result['recommendation_reason'] as string, /page/)
    assert.equal(content['evaluated_url'], 'https://leads-home.lab/home')
    assert.deepEqual(content['redirects'], [{ url: 'https://leads-home.lab/', status: 200, by: 'refresh' }])
    const asked = result['requests'] as unknown as { url: string }[]
    assert.deepEqual(
      asked.map(({ url }) => url).filter(url => url.startsWith('https://leads-home.lab/home')),
      ['https://leads-home.lab/home'],
    )
  })

  for (const domain of ['leads-to-listed.lab', 'frames-listed.lab'])
    it(`blocks ${domain}, because the page that visitors see is of a listed host`, async () => {
      const { recommendation, signals } = await check(domain)
      assert.equal(recommendation, 'block')
      assert.ok(signals.includes('redirects_to_malicious_host'))
    })

  it('reviews a page that leads to an address which is not public, and connects to nothing there', async () => {
    const { recommendation, connections, ...result } = await check('leads-inside.lab')
    assert.equal(recommendation, 'review')
    assert.equal(result['recommendation_reason'], 'The page sends visitors to a page that was not seen.')
    assert.deepEqual(
      connections.filter(connection => connection.startsWith('10.')),
      [],
    )
  })

  it('says in coverage that a script was not run, and keeps the result as long as others', async () => {
    const { coverage, content, ...checked } = await check('written-by-script.lab')
    assert.equal(coverage.sections['content_analysis']?.reason, 'script_not_run')
    const whole = await check('leads-home.lab')
    assert.deepEqual([checked.class, coverage.ratio], [whole.class, whole.coverage.ratio])
    assert.equal((content['drawn'] as { seen_in_part: string }).seen_in_part, 'script_not_run')
    assert.deepEqual(
      [content['forms'], content['emails']],
      [{ total: null, with_password: null, password_outside: null, items: null }, null],
    )
  })
})

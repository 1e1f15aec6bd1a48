import assert from 'node:assert/strict'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { after, before, describe, it } from 'node:test'
import type { Evidence } from '../../src/evidence/evidence.ts'
import { without } from '../needs.ts'
import type { Checked, Lab } from '../service/lab.ts'
import { plainSite, RENDERING, shell, startBrowserLab } from './browser_lab.ts'

const LOG_IN =
  '<h1>Welcome back to the shop of our town</h1><form action="/in"><label>Name <input name="u"></label>' +
  '<label>Password <input type="password" name="p"></label><button>Log in</button></form>' +
  '<div style="display:none">nobody sees this</div>'
const LOADER = shell(`fetch('/data').then(answer => answer.text()).then(text => {
  document.title = 'Log in'
  document.body.innerHTML = text
})`)

const hosts = [
  plainSite('shell.lab', '193.0.14.10', ({ url }) => ({
    headers: [['Content-Type', 'text/html']],
    body: url === '/data' ? LOG_IN : LOADER,
  })),
  plainSite(
    'plain.lab',
    '193.0.14.11',
    `<!doctype html><title>Plain</title><p>${'A page with many words. '.repeat(30)}`,
  ),
  plainSite('leaving.lab', '193.0.14.12', shell(`location.href = atob('aHR0cDovL290aGVyLmxhYi8=') + location.search`)),
  plainSite(
    'other.lab',
    '193.0.14.13',
    `<!doctype html><title>Other</title><p>${'The other page of another site. '.repeat(9)}`,
  ),
  plainSite(
    'inside.lab',
    '193.0.14.14',
    shell(`document.body.innerHTML = '<p>A page with pictures from inside of the network.</p>' +
      ['http://127.0.0.1/a.png', 'http://10.0.0.1/b.png', 'http://points-inside.lab/c.png', 'http://169.254.169.254/d.png']
        .map(url => '<img src="' + url + '">').join('')`),
  ),
  { name: 'points-inside.lab', addresses: ['10.0.0.5'] },
  plainSite(
    'busy.lab',
    '193.0.14.15',
    shell(`alert('one'); confirm('two'); console.error('three'); document.execCommand('copy')
      document.body.innerHTML = '<p>A page that does a lot before anybody has asked it for anything at all.</p>'
      setTimeout(() => { throw new Error('four') })
      const link = document.createElement('a'); link.href = '/file.bin'; link.download = 'file.bin'; link.click()`),
  ),
  plainSite('endless.lab', '193.0.14.16', shell('for (;;) {}')),
]

const TRIES = 6
const LATE: ReadonlySet<string> = new Set(['browser_timeout', 'browser_busy', 'deadline'])

describe('a page in a browser', { skip: without('chromium') }, () => {
  let lab: Lab
  before(async () => {
    lab = await startBrowserLab(hosts)
  })
  after(() => lab.close())

  const renderedOf = ({ recording }: Checked): Evidence['rendered'] =>
    (recording.evidence['rendered'] as { value: Evidence['rendered'] }).value
  const documentOf = ({ recording }: Checked): Evidence['document'] =>
    (recording.evidence['document'] as { value: Evidence['document'] }).value
  const statusOf = ({ result }: Checked) => {
    const { status, reason } = result.coverage.sections['rendered'] ?? {}
    return [status, reason]
  }

  const isCut = ({ screenshots, settled }: Evidence['rendered']) => screenshots.length < 2 || !settled
  /** On a busy machine a page or its pictures may not be there in time: then once more. */
  async function check(request: Parameters<Lab['check']>[0]): Promise<Checked> {
    for (let left = TRIES; ; left -= 1) {
      const checked = await lab.check(request)
      const [status, reason] = statusOf(checked)
      const isLate = status === 'completed' ? isCut(renderedOf(checked)) : LATE.has(reason ?? '')
      if (left === 1 || !isLate) return checked
    }
  }

  it('is read after its scripts, and all sections see it', async () => {
    const checked = await check({ domain: 'shell.lab' })
    const { why, title, drawn, served, settled, screenshots, hosts: loaded } = renderedOf(checked)
    assert.deepEqual([why, title, settled], ['needed', 'Log in', true])
    assert.deepEqual(
      [served, drawn],
      [
        { words: 0, fields: 0, passwords: 0, buttons: 0 },
        { words: 12, fields: 2, passwords: 1, buttons: 1 },
      ],
    )
    assert.deepEqual(
      screenshots.map(({ kind, width, height }) => [kind, width, height]),
      [
        ['desktop', 1280, 800],
        ['phone', 390, 844],
      ],
    )
    assert.deepEqual(
      loaded.map(({ host }) => host),
      ['shell.lab'],
    )
    const document = documentOf(checked)
    assert.equal(document.after_scripts, true)
    assert.equal(document.title, 'Log in')
    assert.ok(
      !document.text.includes('nobody sees this') || !document.look?.shown.includes('nobody sees this'),
      'hidden',
    )
    const noted = (checked.result['signal_details'] as readonly { readonly id: string }[]).map(({ id }) => id)
    assert.ok(noted.includes('form_after_scripts') && noted.includes('written_by_scripts'), noted.join(' '))
    assert.ok(!checked.result.signals.includes('page_seen_in_part'), 'the page was seen')
  })

  it('has its pictures as WebP by their hash', async () => {
    const { screenshots } = renderedOf(await check({ domain: 'shell.lab' }))
    for (const { sha256, octets } of screenshots) {
      const picture = lab.service.rendering?.picture(sha256)
      assert.equal(picture?.length, octets)
      assert.deepEqual([picture?.toString('latin1', 0, 4), picture?.toString('latin1', 8, 12)], ['RIFF', 'WEBP'])
      assert.ok(octets <= 200 * 1024, 'small enough')
    }
  })

  it('is not rendered when it was read wholly', async () => {
    const checked = await check({ domain: 'plain.lab' })
    assert.deepEqual(statusOf(checked), ['not_applicable', 'not_rendered'])
    assert.equal(documentOf(checked).after_scripts, undefined)
  })

  it('is rendered on request', async () => {
    const checked = await check({ domain: 'plain.lab', render: true })
    const { why, alike } = renderedOf(checked)
    assert.deepEqual([why, alike], ['asked', 1])
    assert.ok(!checked.result.signals.includes('shows_browsers_another_page'), 'it is the same')
  })

  it('leads on by a script to a page that is read there', async () => {
    const checked = await check({ domain: 'leaving.lab' })
    const { url, navigations } = renderedOf(checked)
    assert.equal(url, 'http://other.lab/')
    assert.deepEqual(navigations, [
      { url: 'http://leaving.lab/', by: 'visit' },
      { url: 'http://other.lab/', by: 'script' },
    ])
    assert.equal(documentOf(checked).title, 'Other')
    assert.ok(checked.result.signals.includes('leaves_by_script'), 'leaving is a signal')
  })

  it('reaches nothing inside', async () => {
    const checked = await check({ domain: 'inside.lab' })
    const inside = checked.connections.filter(at => !/^193\.0\.14\./.test(at))
    assert.deepEqual(inside, [])
    const refused = Object.fromEntries(renderedOf(checked).refused.map(({ host, reason }) => [host, reason]))
    assert.deepEqual(refused, {
      '127.0.0.1': 'to_non_public',
      '10.0.0.1': 'to_non_public',
      'points-inside.lab': 'not_public',
      '169.254.169.254': 'to_non_public',
    })
  })

  it('tells what the page did', async () => {
    const { dialogs, console_errors, downloads } = renderedOf(await check({ domain: 'busy.lab' }))
    assert.deepEqual(dialogs, ['alert: one', 'confirm: two'])
    assert.equal(console_errors, 2)
    assert.deepEqual(downloads, ['http://busy.lab/file.bin'])
  })

  it('costs its own section alone when its script never ends, and the next page is rendered', async () => {
    const checked = await lab.check({ domain: 'endless.lab' })
    assert.deepEqual(statusOf(checked), ['unavailable', 'browser_timeout'])
    assert.equal(documentOf(checked).title, 'Shell')
    assert.equal(renderedOf(await check({ domain: 'shell.lab' })).title, 'Log in')
  })

  it('runs in a sandbox, as a user without rights', { skip: !RENDERING.sandbox }, async () => {
    await check({ domain: 'shell.lab' })
    const pages = processesOf(`assay-browser-${process.pid}-`).filter(pid => commandOf(pid).includes('--type=renderer'))
    assert.ok(pages.length > 0, 'pages have processes')
    const own = readlinkSync('/proc/self/ns/user')
    for (const pid of pages) {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      assert.match(status, /^Seccomp:\t2$/m)
      assert.match(status, /^CapEff:\t0+$/m)
      assert.doesNotMatch(status, /^Uid:\t0\t/m)
      assert.notEqual(readlinkSync(`/proc/${pid}/ns/user`), own)
    }
  })

  it('leaves no process and no profile', async () => {
    const profiles = () => readdirSync(tmpdir()).filter(name => name.startsWith(`assay-browser-${process.pid}-`))
    const before = profiles()
    const other = await startBrowserLab(hosts)
    await other.check({ domain: 'shell.lab' })
    const [own = '', ...more] = profiles().filter(name => !before.includes(name))
    assert.deepEqual(more, [])
    assert.notDeepEqual(processesOf(own), [])
    await other.close()
    assert.deepEqual([profiles(), processesOf(own)], [before, []])
  })
})

/** Processes whose command names the profile. */
const processesOf = (profile: string): string[] => {
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  return pids.filter(pid => commandOf(pid).includes(profile))
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

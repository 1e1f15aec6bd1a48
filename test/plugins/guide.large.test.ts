import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { builtInPlugins } from '../../plugins/index.ts'
import { send } from '../../src/testing/lab_script.ts'
import { assay } from '../cli/assay.ts'
import { startLab } from '../service/lab.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

const guide = readFileSync(resolve(import.meta.dirname, '../../plugins/README.md'), 'utf8')

const examples = (language: string): string[] =>
  [...guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, written, code = '']) =>
    written === language ? [code] : [],
  )

const lines = (text: string): string[] => text.trim().split('\n')

/** The arguments of a command as if it were given in the directory. */
function within(directory: string, line: string): string[] {
  const [npx, command, ...args] = line.split(' ')
  assert.deepEqual([npx, command], ['npx', 'assay'])
  if (args[1] === 'new') return [...args, '--dir', directory]
  return args.map(arg => (/^(?:long_name|our_own)/.test(arg) ? join(directory, arg) : arg))
}

describe('the guide for authors of plugins', () => {
  it('leads to a working plugin, and to one with a source', async () => {
    const directory = temporaryDirectory()
    const printed: string[] = []
    for (const line of examples('sh').flatMap(lines)) {
      const { code, out, err } = await assay(...within(directory, line))
      assert.equal(code, 0, `${line}: ${err}${out}`)
      printed.push(...lines(out))
    }
    for (const line of examples('text').flatMap(lines)) assert.ok(printed.includes(line), line)
    assert.equal(printed.filter(line => line === '# fail 0').length, 2)
    assert.ok(printed.includes('long_name (./index.js, enabled)'))
  })

  it('has three sources that work in processes of their own', async () => {
    const directory = temporaryDirectory()
    const load = examples('js').flatMap(code => {
      const [, name = ''] = /^\/\/ (\S+)\n/.exec(code) ?? []
      if (!code.includes('hooks.gather') || name === '') return []
      writeFileSync(join(directory, name), code)
      return [{ module: join(directory, name), isolated: true }]
    })
    assert.equal(load.length, 3)
    const plugins = Object.fromEntries(builtInPlugins.map(({ plugin }) => [plugin.name, false]))
    const site = { name: 'shop.example.com', addresses: ['93.184.216.34'], https: () => ({ body: 'Team: us' }) }
    const lab = await startLab({ hosts: [site], settings: { load, plugins } })
    await lab.internet.web.script('93.184.216.34', 22, [send('SSH-2.0-Lab\r\n')])
    const { result, analysis } = await lab.check({ domain: 'shop.example.com' })
    await lab.close()
    assert.deepEqual(analysis.defects, [])
    const { encrypted_hello, humans_txt, ssh_greeting } = result
    assert.deepEqual(
      [encrypted_hello, humans_txt, ssh_greeting],
      [{ offered: false }, { present: true }, { greeting: 'SSH-2.0-Lab' }],
    )
  })

  it('has a plugin in one file and three sources that pass their tests, and a matching configuration', async () => {
    const directory = temporaryDirectory()
    for (const code of examples('js')) {
      const [, name = ''] = /^\/\/ (\S+)\n/.exec(code) ?? []
      writeFileSync(join(directory, name), code)
    }
    const [config = ''] = examples('json')
    writeFileSync(join(directory, 'config.json'), config)
    const { code, out } = await assay('plugin', 'test', join(directory, 'my-plugin.mjs'))
    assert.equal(code, 0, out)
    for (const said of ['the three sources in the lab', 'my plugin in the lab']) assert.ok(out.includes(said), said)
    assert.match(out, /^# pass 6$/m)
    const listed = await assay('plugins', '--config', join(directory, 'config.json'))
    assert.match(listed.out, /^ +5 {2}long_name /m)
  })
})

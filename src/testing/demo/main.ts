// `npm run demo`: the service beside a small internet on loopback, for people without a network.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { settle } from '../../cli/options.ts'
import { serve } from '../../cli/serve.ts'
import { createTool } from '../../cli/tool.ts'
import { startLabInternet } from '../lab_internet.ts'
import { feedHost } from './feed.ts'
import { demoAddresses, demoHosts, demoKnowledge } from './hosts.ts'
import { outside } from './outside.ts'
import { demoSettings } from './settings.ts'

const { port } = createTool('demo', 'Starts the service beside a small internet on loopback.')
  .option('--port <number>', 'port to listen on; 0 takes any free one')
  .parse()
  .opts<{ port?: string }>()

const hosts = demoHosts(new Date())
const internet = await startLabInternet([...hosts, feedHost, ...outside(demoKnowledge)])
const directory = mkdtempSync(join(tmpdir(), 'assay-demo-'))
process.once('exit', () => rmSync(directory, { recursive: true, force: true }))

const config = join(directory, 'config.json')
const settings = { data: 'data', log: { level: 'warn' }, ...demoSettings(internet, directory) }
writeFileSync(config, JSON.stringify(settings))

const setting = await settle({ config, ...(port === undefined ? {} : { port }) })
await serve(setting, { dial: internet.dial, extra_roots: internet.root })

const names = [...hosts.map(({ name }) => name), 'no-such-name.lab', ...demoAddresses]
process.stderr.write(`Names and addresses to check in the demo:\n${names.map(name => `  ${name}`).join('\n')}\n`)

// `npm run demo`: the service with a small internet on loopback, for machines without a network.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Option } from 'commander'
import { reportFailure } from '../../cli/failure.ts'
import { requireSound, settle } from '../../cli/options.ts'
import { terminal } from '../../cli/output.ts'
import { serve } from '../../cli/serve.ts'
import { createTool } from '../../cli/tool.ts'
import { type Config, readConfig } from '../../config/config.ts'
import { readEnvironment } from '../../config/environment.ts'
import type { Dial } from '../../network/network.ts'
import { startLabInternet } from '../lab_internet.ts'
import {
  demoAddresses,
  demoFaults,
  demoHosts,
  demoKnowledge,
  demoNamesThatFail,
  digBlackHoles,
  receiverHost,
  watchedHost,
} from './hosts.ts'
import { demoLinks } from './links.ts'
import { lookalikeFaults } from './lookalikes.ts'
import { outside } from './outside.ts'
import { demoSettings, feedHost, policyHost } from './settings.ts'

const {
  port,
  outage,
  config: configFile,
  browser,
} = createTool('demo', 'Starts the service with a small internet on loopback.')
  .option('--port <number>', 'port to listen on; 0 selects any free port')
  .addOption(new Option('--outage <of>', 'part of the service that fails').choices(['resolver', 'way-out', 'feed']))
  .option('--config <file>', 'configuration with plugins to try: its "load" and "plugins"')
  .option('--browser <file>', 'Chromium, which draws each page')
  .parse()
  .opts<{ port?: string; outage?: Outage; config?: string; browser?: string }>()

try {
  await startDemo(port)
} catch (error) {
  process.exit(reportFailure(error, terminal))
}

type Outage = 'resolver' | 'way-out' | 'feed'

/** The plugins of the author's configuration beside those of the demo. Paths are relative to that configuration. */
function withPlugins(file: string, own: object): Partial<Pick<Config, 'load' | 'plugins'>> {
  const { config, base, faults } = readConfig({ config: file }, { ...readEnvironment(), config: undefined })
  requireSound(faults)
  const locate = (module: string) => (module.startsWith('.') ? resolve(base, module) : module)
  const load = config.load.map(entry =>
    typeof entry === 'string' ? locate(entry) : { ...entry, module: locate(entry.module) },
  )
  return { load, plugins: { ...own, ...config.plugins } }
}

async function startDemo(port: string | undefined): Promise<void> {
  const hosts = demoHosts(new Date())
  const appearing = lookalikeFaults(Date.now)
  const fault: typeof demoFaults = question =>
    outage === 'resolver' ? { rcode: 'SERVFAIL' } : (demoFaults(question) ?? appearing(question))
  const receiver = receiverHost(text => process.stderr.write(`\nhooks.lab received:\n${text}\n`))
  const watchedSite = watchedHost(Date.now)
  // Without their publisher, the feeds of the demo have never been read.
  const publishers = outage === 'feed' ? [] : [feedHost]
  const serving = [...publishers, policyHost, receiver, watchedSite, ...outside(demoKnowledge)]
  const internet = await startLabInternet([...hosts, ...serving], { fault })
  digBlackHoles(internet)
  const directory = mkdtempSync(join(tmpdir(), 'assay-demo-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))

  const config = join(directory, 'config.json')
  const base = demoSettings(internet, directory)
  const settings = {
    log: { level: 'warn' },
    ...base,
    ...(browser !== undefined && {
      rendering: { browser, when: 'always', limit_ms: 7_000 },
      check: { ...base.check, deadline_ms: 9_000 },
    }),
    ...(configFile !== undefined && withPlugins(configFile, base.plugins)),
  }
  writeFileSync(config, JSON.stringify(settings))

  const data = join(directory, 'data')
  const setting = await settle({ config, data, ...(port === undefined ? {} : { port }) })
  // A socket that never connects, as behind a firewall that drops outgoing packets.
  const dial: Dial = outage === 'way-out' ? () => new Socket() : internet.dial
  await serve(setting, { dial, extra_roots: internet.root, example: hosts[0]?.name ?? '' })

  const names = [
    ...hosts.map(({ name }) => name),
    ...demoNamesThatFail,
    'no-such-name.lab',
    ...demoAddresses,
    ...demoLinks,
  ]
  process.stderr.write(
    `Names, addresses and links to check in the demo:\n${names.map(name => `  ${name}`).join('\n')}\n` +
      `A site that changes every minute, to watch: ${watchedSite.name}, with the receiver https://hooks.lab/watch\n` +
      `A name with look-alikes, one of which appears two minutes after the start: ${hosts[0]?.name}\n`,
  )
}

// `npm run demo`: the service with a small internet on loopback, for machines without a network.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Option } from 'commander'
import { reportFailure } from '../../cli/failure.ts'
import { settle } from '../../cli/options.ts'
import { terminal } from '../../cli/output.ts'
import { serve } from '../../cli/serve.ts'
import { createTool } from '../../cli/tool.ts'
import type { Dial } from '../../network/network.ts'
import { startLabInternet } from '../lab_internet.ts'
import {
  demoAddresses,
  demoFaults,
  demoHosts,
  demoKnowledge,
  demoNamesThatFail,
  demoSigned,
  digBlackHoles,
} from './hosts.ts'
import { demoLinks } from './links.ts'
import { outside } from './outside.ts'
import { demoSettings, feedHost, policyHost } from './settings.ts'
import { receiverHost, watchedHost } from './watched.ts'

const { port, outage } = createTool('demo', 'Starts the service with a small internet on loopback.')
  .option('--port <number>', 'port to listen on; 0 selects any free port')
  .addOption(new Option('--outage <of>', 'part of the service that fails').choices(['resolver', 'way-out']))
  .parse()
  .opts<{ port?: string; outage?: Outage }>()

try {
  await startDemo(port)
} catch (error) {
  process.exit(reportFailure(error, terminal))
}

type Outage = 'resolver' | 'way-out'

async function startDemo(port: string | undefined): Promise<void> {
  const hosts = demoHosts(new Date())
  const fault: typeof demoFaults = question => (outage === 'resolver' ? { rcode: 'SERVFAIL' } : demoFaults(question))
  const receiver = receiverHost(text => process.stderr.write(`\nhooks.lab received:\n${text}\n`))
  const watched = watchedHost(Date.now)
  const serving = [feedHost, policyHost, receiver, watched, ...outside(demoKnowledge)]
  const internet = await startLabInternet([...hosts, ...serving], { fault, signed: demoSigned })
  digBlackHoles(internet)
  const directory = mkdtempSync(join(tmpdir(), 'assay-demo-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))

  const config = join(directory, 'config.json')
  const settings = { log: { level: 'warn' }, ...demoSettings(internet, directory) }
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
      `A site that changes every minute, to watch: ${watched.name}, with the receiver https://hooks.lab/watch\n`,
  )
}

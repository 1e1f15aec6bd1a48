// `npm run demo`: the service beside a small internet on loopback, for people without a network.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { settle } from '../../cli/options.ts'
import { serve } from '../../cli/serve.ts'
import { startLabInternet } from '../lab_internet.ts'
import { writeMmdb } from '../lab_mmdb.ts'
import { feedHost, feedSettings } from './feed.ts'
import { demoHosts, demoPlaces } from './hosts.ts'

const { values } = parseArgs({ options: { port: { type: 'string' } } })

const hosts = demoHosts(new Date())
const internet = await startLabInternet([...hosts, feedHost])
const directory = mkdtempSync(join(tmpdir(), 'assay-demo-'))
process.once('exit', () => rmSync(directory, { recursive: true, force: true }))

const places = join(directory, 'places.mmdb')
writeFileSync(places, writeMmdb(demoPlaces))
const config = join(directory, 'config.json')
writeFileSync(
  config,
  JSON.stringify({
    data: 'data',
    log: { level: 'warn' },
    network: { resolvers: [internet.dns.address] },
    datasets: { ...feedSettings, city: places, asn: places },
  }),
)

const setting = await settle({ config, ...(values.port === undefined ? {} : { port: values.port }) })
await serve(setting, { dial: internet.dial, extra_roots: internet.root })

const names = [...hosts.map(({ name }) => name), 'no-such-name.lab']
process.stderr.write(`Names to check in the demo:\n${names.map(name => `  ${name}`).join('\n')}\n`)

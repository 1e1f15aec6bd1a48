// What a reader of the documentation has: the service of the demo on a loopback port, and the command `assay`. The command
// runs in this process, for clients at a socket (`assay_client.mjs`): a process for each takes half a second. The Internet is
// the demo's, and has the names that the documents use as examples.
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net, { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { settle } from '../../src/cli/options.ts'
import { run } from '../../src/cli/program.ts'
import { serve } from '../../src/cli/serve.ts'
import { readSettingsFile } from '../../src/config/settings_file.ts'
import { demoFaults, demoHosts, demoKnowledge, digBlackHoles, receiverHost } from '../../src/testing/demo/hosts.ts'
import { outside } from '../../src/testing/demo/outside.ts'
import { plainPage } from '../../src/testing/demo/pages.ts'
import { demoSettings, feedHost, policyHost } from '../../src/testing/demo/settings.ts'
import { type LabHost, type LabInternet, startLabInternet } from '../../src/testing/lab_internet.ts'

/** What a client sends. */
export interface Call {
  readonly args: readonly string[]
  readonly cwd: string
  readonly input: string
}

/** What it gets. */
export interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** What the parent process gets once everything runs. */
export interface Ready {
  readonly url: string
  readonly key: string
}

/** Of a defect here, and of no command. */
const EXIT_DEFECT = 99

type Settings = Readonly<Record<string, unknown>>

const [, , directory = ''] = process.argv

const examples: readonly LabHost[] = [
  ['example.com', '193.0.14.201'],
  ['example.org', '193.0.14.202'],
  ['shop.example', '193.0.14.203'],
  ['hooks.example.com', '193.0.14.204'],
  ['1.1.1.1', '1.1.1.1'],
].map(([name = '', address = '']) => ({
  name,
  addresses: [address],
  https: ({ method }) => (method === 'POST' ? { status: 204 } : { body: plainPage('An example') }),
}))

const internet = await startLabInternet(
  [...demoHosts(new Date()), feedHost, policyHost, receiverHost(() => {}), ...examples, ...outside(demoKnowledge)],
  { fault: demoFaults },
)
digBlackHoles(internet)
leadInto(internet)

const root = join(directory, 'root.pem')
writeFileSync(root, internet.root)
const made = join(directory, 'config.json')
const settings: Settings = { log: { level: 'warn' }, ...demoSettings(internet, directory) }
writeFileSync(made, JSON.stringify(settings))
Object.assign(process.env, {
  NODE_EXTRA_CA_CERTS: root,
  ASSAY_CONFIG: made,
  ASSAY_DATA: join(directory, 'data'),
  XDG_CONFIG_HOME: join(directory, 'settings'),
  NO_COLOR: '1',
})

let banner = ''
await serve(await settle({ port: '0' }), {}, { out: () => {}, err: line => (banner += line) })
await serveCommands(join(directory, 'assay.socket'))
const [, url = ''] = /listens on (\S+)/.exec(banner) ?? []
const [, key = ''] = /^ {2}(assay_\w+)$/m.exec(banner) ?? []
// For commands with `--server`.
process.env['ASSAY_KEY'] = key
process.send?.({ url, key } satisfies Ready)
process.once('disconnect', () => process.exit())

/** Every connection to a public address leads into the lab, of whichever part of a command. */
function leadInto({ dial }: LabInternet): void {
  const { connect } = net
  const replaced = (options: { host?: string; port?: number }, ...more: never[]): Socket =>
    typeof options !== 'object' || options.host === undefined || /^(?:127\.|::1$)/.test(options.host)
      ? connect(options as never, ...more)
      : dial(options.host, options.port ?? 0)
  net.connect = replaced as typeof net.connect
  syncBuiltinESMExports()
}

/** One at a time: the directory and the standard input are those of the process. */
async function serveCommands(socket: string): Promise<void> {
  let last: Promise<unknown> = Promise.resolve()
  const listening = createServer({ allowHalfOpen: true }, client => {
    const called = received(client).then(call => JSON.parse(call) as Call)
    last = Promise.all([called, last])
      .then(([call]) => answer(call))
      .catch((error: Error): Ended => ({ code: EXIT_DEFECT, out: '', err: `${error.stack}\n` }))
      .then(ended => client.end(JSON.stringify(ended)))
  })
  await new Promise<void>(resolve => listening.listen(socket, resolve))
}

/** Everything until the client ends; `text` of `node:stream/consumers` would close the socket then. */
async function received(client: Socket): Promise<string> {
  let all = ''
  client.setEncoding('utf8').on('data', part => {
    all += part
  })
  await once(client, 'end')
  return all
}

async function answer({ args, cwd, input }: Call): Promise<Ended> {
  process.chdir(cwd)
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true })
  let out = ''
  let err = ''
  const code = await run(args.map(withLab), {
    out: text => {
      out += text
    },
    err: text => {
      err += text
    },
  })
  return { code, out, err }
}

/** The configuration that a command names, with what leads into the lab. */
function withLab(argument: string, at: number, args: readonly string[]): string {
  if (args[at - 1] !== '--config') return argument
  const given = readSettingsFile(argument).settings as { network?: Settings }
  mkdirSync(join(directory, 'configs'), { recursive: true })
  const file = join(directory, 'configs', `${argument.replaceAll('/', '_')}`)
  const network = { ...given.network, ...(settings['network'] as Settings) }
  writeFileSync(file, JSON.stringify({ ...settings, ...given, network, data: join(directory, 'data') }))
  return file
}

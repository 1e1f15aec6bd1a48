// `assay login`: keeps the URL and the key of a running service, so that later commands ask it. `assay logout` forgets them.
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { createClient } from '../../clients/typescript/src/index.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { pasteable } from './invocation.ts'
import type { Output } from './output.ts'
import { asking, forgetLogin, keepLogin, serverUrl } from './server.ts'

const HELP = `
Examples:
  assay login https://assay.example.com
  assay login https://assay.example.com < key.txt

Asks for the key, or reads it from standard input, and tries it. Later commands (check, diff, history, result, search, lookalikes, jobs,
watch, keys usage) ask that service; --local, and options about this machine's installation such as --config, run them here. The key is in a
file that only you can read.`

export function defineLogin(command: Command, { out, err }: Output): void {
  command
    .argument('<url>', 'the service, such as https://assay.example.com')
    .addHelpText('after', pasteable(HELP))
    .action(async (url: string) => {
      const server = serverUrl(url)
      const key = await readKey(server, err)
      const client = createClient({ server, key })
      const { account, plan } = await asking(client.body(client.api.GET('/api/v1/usage')))
      const file = keepLogin({ server, key })
      out(
        `Account ${account}, plan ${plan}. Commands now ask ${server}; \`logout\` ends that. The key is in ${file}.\n`,
      )
    })
}

export function defineLogout(command: Command, { out }: Output): void {
  command.action(() => {
    const file = forgetLogin()
    out(file === null ? 'There was no login.\n' : `Removed ${file}. The key stays valid until it is revoked.\n`)
  })
}

/** The key from standard input; from a terminal, without showing it. */
async function readKey(server: string, err: Output['err']): Promise<string> {
  const key = process.stdin.isTTY ? await askHidden(`API key for ${server}: `, err) : (await text(process.stdin)).trim()
  if (/^[\x21-\x7e]{8,256}$/.test(key)) return key
  throw new CliError(EXIT.usage, 'invalid API key: expected one line without spaces on standard input')
}

async function askHidden(question: string, err: Output['err']): Promise<string> {
  // What is typed is echoed into nothing.
  const output = new Writable({ write: (_part, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output, terminal: true })
  try {
    err(question)
    return (await lines.question('')).trim()
  } finally {
    lines.close()
    err('\n')
  }
}

// `npx` and `assay` for the commands of the documentation: has `reader.ts` run them, and ends as they ended.
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

const { READER_SOCKET, READER_COMMAND } = process.env
const [, , ...given] = process.argv
const args = READER_COMMAND === 'npx' ? given.slice(1) : given
if (READER_COMMAND === 'npx' && given[0] !== 'assay') {
  process.stderr.write(`npx: the documentation runs no ${given[0]}\n`)
  process.exit(127)
}
const isReading = args[0] === 'login' || args.some((arg, at) => arg === '-' && args[at - 1] === '--input')
const input = isReading ? await text(process.stdin) : ''
const client = connect(READER_SOCKET)
client.end(JSON.stringify({ args, cwd: process.cwd(), input }))
const { code, out, err } = JSON.parse(await text(client))
process.stdout.write(out)
process.stderr.write(err)
process.exitCode = code

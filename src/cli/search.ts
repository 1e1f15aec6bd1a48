// `assay search` finds kept results by what was seen of their targets.
import type { Command } from 'commander'
import { FACETS, NETWORK, QUESTIONS, type Question } from '../store/facets.ts'
import { ENTRIES, historyText, readLimit } from './history.ts'
import { pasteable } from './invocation.ts'
import { optionOf, withKept } from './kept_results.ts'
import { accountOption, configOption, dataOption, type KeptOptions, queryOption } from './options.ts'
import type { Output } from './output.ts'
import { serverOptions } from './server.ts'
import { queryShape } from './shape.ts'

const HELP = `
Examples:
  assay search --address 192.0.2.7
  assay search --network 192.0.2.0/24 --technology WordPress
  assay search --title 'sign in' --server https://assay.example.com

Lists the targets that showed all of it, each with its latest result that shows it. docs/seen.md says what is compared.`

interface SearchOptions extends KeptOptions {
  readonly limit: string
  readonly json?: boolean
  readonly query?: string
}

/** Members of the JSON of a search. */
const SEARCH = ['results']

/** What stands for the value in the help; a name otherwise. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  certificate: 'sha256',
  icon_hash: 'sha256',
  structure_hash: 'sha256',
  address: 'ip',
  network: 'cidr',
  asn: 'number',
  signal: 'id',
  title: 'words',
  form_target: 'host',
  name_server: 'host',
  mail_host: 'host',
}

/** As options are described: no capital unless it is an abbreviation, no full stop. */
const textOf = (description: string): string =>
  description.replace(/^[A-Z](?=[a-z ])/, letter => letter.toLowerCase()).replace(/\.$/, '')

export function defineSearch(command: Command, { out, err }: Output): void {
  for (const name of QUESTIONS) {
    const { description } = name === 'network' ? NETWORK : FACETS[name]
    command.option(`--${optionOf(name)} <${PLACEHOLDERS[name] ?? 'name'}>`, textOf(description))
  }
  serverOptions(accountOption(dataOption(configOption(command))))
    .option('--limit <number>', 'list at most this many', `${ENTRIES.usual}`)
    .option('-j, --json', 'print JSON')
    .addOption(queryOption())
    .addHelpText('after', pasteable(HELP))
    .action(async (options: SearchOptions) => {
      const limit = readLimit(options.limit)
      const shape = options.query === undefined ? null : queryShape(options.query, SEARCH, err)
      const question = questionIn(command.opts())
      const results = await withKept(options, results => results.search(question, limit))
      if (shape !== null) return out(`${JSON.stringify(shape({ results }))}\n`)
      out(options.json ? `${JSON.stringify({ results })}\n` : historyText(results, null))
    })
}

/** The options that ask, which commander names in camel case. */
function questionIn(options: Readonly<Record<string, unknown>>): Question {
  const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(
    QUESTIONS.flatMap(name => {
      const value = options[camel(name)]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}

// `assay jobs`: lists of targets that a running service checks without a connection, and their results.
import { createReadStream } from 'node:fs'
import type { Command } from 'commander'
import type { components } from '../../clients/typescript/src/index.ts'
import { unreadable } from '../base/files.ts'
import { readInput } from '../results/bulk/lines.ts'
import { columns } from './columns.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { pasteable } from './invocation.ts'
import type { Output } from './output.ts'
import { asking, requireService, type Service, type ServiceAddressOptions, serverOptions } from './server.ts'

type Job = components['schemas']['Job']

interface JobOptions extends ServiceAddressOptions {
  readonly json?: boolean
  readonly input?: string
  /** False when no site must be contacted. */
  readonly visit?: boolean
  readonly render?: boolean
}

const HELP = `
Examples:
  assay jobs add --input names.txt
  assay jobs list
  assay jobs results job_cGkPZ7vD0mQn3TaX > results.ndjson

Jobs run on the service of --server, ASSAY_SERVER or \`assay login\`, for the account of the key. Results are NDJSON, as
\`assay check --input\` writes them; \`results\` of a job that is not finished prints what is there. docs/jobs.md says how long they are kept.`

/** Its five subcommands. */
export function defineJobs(jobs: Command, { out, drained }: Output): void {
  jobs.addHelpText('after', pasteable(HELP))
  const subcommand = (name: string, description: string) =>
    serverOptions(jobs.command(name).description(description).option('-j, --json', 'print JSON'))
  const print = <T>({ json }: JobOptions, value: T, text: (value: T) => string) =>
    out(`${json ? JSON.stringify(value) : text(value)}\n`)

  subcommand('add [targets...]', 'let the service check targets, of the command line or of a file')
    .option('--input <file>', 'every target in the file; - reads standard input')
    .option('--no-visit', 'do not contact the sites')
    .option('--render', 'open the pages in a browser')
    .action(async (targets: readonly string[], options: JobOptions) => {
      const service = requireService(options)
      const all = await targetsOf(targets, options)
      print(options, await asking(addJob(service, all, options)), jobText)
    })
  subcommand('list', 'list the jobs of the account').action(async (options: JobOptions) => {
    const { client } = requireService(options)
    print(options, (await asking(client.body(client.api.GET('/api/v1/jobs')))).jobs, jobTable)
  })
  subcommand('show <id>', 'show how far a job is').action(async (id: string, options: JobOptions) => {
    const { client } = requireService(options)
    print(
      options,
      await asking(client.body(client.api.GET('/api/v1/jobs/{id}', { params: { path: { id } } }))),
      jobText,
    )
  })
  subcommand('results <id>', 'print the results that are there, as NDJSON').action(
    async (id: string, options: JobOptions) => {
      for await (const part of resultsOf(requireService(options), id)) {
        out(part)
        await drained?.()
      }
    },
  )
  subcommand('remove <id>', 'cancel a job and remove its results').action(async (id: string, options: JobOptions) => {
    const { client } = requireService(options)
    const removedJob = await asking(client.body(client.api.DELETE('/api/v1/jobs/{id}', { params: { path: { id } } })))
    print(options, removedJob, () => `Job ${id} is removed.`)
  })
}

async function targetsOf(targets: readonly string[], { input }: JobOptions): Promise<readonly string[]> {
  if (input === undefined) {
    if (targets.length > 0) return targets
    throw new CliError(EXIT.usage, 'give targets or --input')
  }
  if (targets.length > 0) throw new CliError(EXIT.usage, 'give targets or --input, not both')
  const lines: string[] = []
  try {
    const stream = input === '-' ? process.stdin : createReadStream(input)
    for await (const { text } of readInput(stream, new AbortController().signal)) lines.push(text)
  } catch (error) {
    throw new CliError(EXIT.usage, `${input}: ${unreadable(error)}`)
  }
  if (lines.length === 0) throw new CliError(EXIT.usage, `${input} has no targets`)
  return lines
}

function addJob(
  { client: { api, body } }: Service,
  targets: readonly string[],
  { visit, render }: JobOptions,
): Promise<Job> {
  const params = { header: { Prefer: 'respond-async' } }
  const request = api.POST('/api/v1/checks', {
    params,
    body: { targets: [...targets], ...(visit === false && { visit }), ...(render && { render }) },
  })
  return body(request as unknown as Promise<{ data?: Job; error?: unknown; response: Response }>)
}

/** The results that are there, as parts of a text. */
async function* resultsOf({ client: { api, body } }: Service, id: string): AsyncGenerator<string> {
  const request = api.GET('/api/v1/jobs/{id}/results', { params: { path: { id } }, parseAs: 'stream' })
  const octets = await asking(body(request))
  const text = new TextDecoder()
  for await (const part of octets ?? []) yield text.decode(part, { stream: true })
}

const jobText = (job: Job): string => columns([rowOf(job)])

const jobTable = (jobs: readonly Job[]): string => (jobs.length === 0 ? 'No jobs.' : columns(jobs.map(rowOf)))

function rowOf({ id, status, reason, created_at, done, total, errors, verdicts }: Job): readonly string[] {
  const verdictCounts = `${verdicts.malicious} malicious, ${verdicts.suspicious} suspicious, ${verdicts.safe} safe`
  return [
    id,
    created_at,
    reason === null ? status : `${status} (${reason})`,
    `${done} of ${total}`,
    verdictCounts,
    errors === 0 ? '' : `${errors} not checked`,
  ]
}

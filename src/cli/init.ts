// `assay init`: five questions, and a commented configuration with the answers.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { whyUnreadable } from '../base/files.ts'
import { readSettings } from '../config/config.ts'
import { withoutComments } from '../config/json_text.ts'
import { storeUrlFault } from '../config/postgres_place.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { pasteable } from './invocation.ts'
import { requireSound } from './options.ts'
import { type Output, writeText } from './output.ts'

const HELP = `
Examples:
  assay init
  assay init --yes --public --store postgres://127.0.0.1/assay /etc/assay/config.json

Asks for what no flag gives. Without a terminal, or with --yes, it asks nothing and takes the defaults. The file is readable by
its owner only, because it may contain keys. JSON in configurations may have comments.`

/** What the questions ask for. */
export interface SetupAnswers {
  readonly isPublic: boolean
  readonly quota: number
  /** Key of abuse.ch; null for none. */
  readonly abuseChKey: string | null
  /** `country`, `city`, or the path of an MMDB file. */
  readonly places: string
  /** URL of PostgreSQL; null for the embedded store. */
  readonly store: string | null
}

const DEFAULTS: SetupAnswers = { isPublic: false, quota: 10_000, abuseChKey: null, places: 'country', store: null }

/** A value, or why the text is none. */
type ParsedAnswer<Value> = { readonly value: Value } | { readonly fault: string }

interface SetupQuestion<Name extends keyof SetupAnswers> {
  readonly name: Name
  /** The question; the answer after Enter alone is in brackets. */
  readonly text: string
  readonly read: (answer: string) => ParsedAnswer<SetupAnswers[Name]>
}

const question = <Name extends keyof SetupAnswers>(one: SetupQuestion<Name>): SetupQuestion<Name> => one

function readYes(answer: string): ParsedAnswer<boolean> {
  if (/^(?:y|yes)$/i.test(answer)) return { value: true }
  return /^(?:n|no)$/i.test(answer) ? { value: false } : { fault: 'Answer yes or no.' }
}

function readQuota(answer: string): ParsedAnswer<number> {
  const value = /^\d{1,12}$/.test(answer) ? Number(answer) : 0
  return value > 0 ? { value } : { fault: 'Give a whole number of at least 1.' }
}

/** Another way than Enter to want nothing. */
const NOTHING = /^(?:none|no|n)$/i

/** Keys of abuse.ch are hexadecimal; the length is theirs to change. */
function readKey(answer: string): ParsedAnswer<string | null> {
  if (NOTHING.test(answer)) return { value: null }
  return /^[\w-]{8,128}$/.test(answer)
    ? { value: answer }
    : { fault: 'A key consists of at least 8 letters and digits. Press Enter for none.' }
}

function readPlaces(answer: string): ParsedAnswer<string> {
  if (answer === 'country' || answer === 'city') return { value: answer }
  const why = whyUnreadable(resolve(answer))
  return why === null
    ? { value: answer }
    : { fault: `${answer}: ${why}. Give country, city, or the path of an MMDB file.` }
}

function readStore(answer: string): ParsedAnswer<string | null> {
  if (NOTHING.test(answer)) return { value: null }
  return storeUrlFault(answer) === null
    ? { value: answer }
    : { fault: 'Give a URL such as postgres://127.0.0.1:5432/assay.' }
}

const QUESTIONS = [
  question({ name: 'isPublic', text: 'May other machines reach the service? [no]', read: readYes }),
  question({ name: 'quota', text: 'How many answered checks may an account have per month? [10000]', read: readQuota }),
  question({
    name: 'abuseChKey',
    text: 'Key of abuse.ch for the malware list URLhaus, free at https://auth.abuse.ch? [none]',
    read: readKey,
  }),
  question({
    name: 'places',
    text: 'Where are addresses? country (8 MB of memory), city (130 MB), or the path of an MMDB file [country]',
    read: readPlaces,
  }),
  question({
    name: 'store',
    text: 'URL of a PostgreSQL database, to share keys and results between instances? [none]',
    read: readStore,
  }),
] as const

/** Asks a question and resolves with the trimmed answer. */
export type Prompt = (text: string) => Promise<string>

/** Asks for what is not given. An invalid answer is asked for again. */
export async function askAll(flags: Partial<SetupAnswers>, ask: Prompt): Promise<SetupAnswers> {
  const answers: Record<string, unknown> = { ...DEFAULTS, ...flags }
  for (const { name, text, read } of QUESTIONS) {
    if (flags[name] === undefined) answers[name] = await answerTo(text, read, DEFAULTS[name], ask)
  }
  return answers as unknown as SetupAnswers
}

async function answerTo(
  text: string,
  read: (answer: string) => ParsedAnswer<unknown>,
  otherwise: unknown,
  ask: Prompt,
): Promise<unknown> {
  for (let fault = ''; ; ) {
    const answer = await ask(`${fault}${text} `)
    if (answer === '') return otherwise
    const reading = read(answer)
    if ('value' in reading) return reading.value
    fault = `${reading.fault}\n`
  }
}

const URLHAUS = 'https://urlhaus-api.abuse.ch/files/exports/hosts?auth-key='

/** The configuration file. Values that are defaults are written too, because this is where they are looked for. */
export function configurationText({ isPublic, quota, abuseChKey, places, store }: SetupAnswers): string {
  const json = (value: unknown) => JSON.stringify(value)
  const datasets = [
    abuseChKey === null
      ? `    // Malware: get a free key at https://auth.abuse.ch, and set the URL with it.\n    // "urlhaus": "${URLHAUS}KEY",`
      : `    // Malware.\n    "urlhaus": ${json(URLHAUS + abuseChKey)},`,
    ...placesLines(places),
  ]
  return `// Configuration of assay. docs/configuration.md explains the settings; those that are not here have defaults.
{
  "server": {
    // ${isPublic ? 'All addresses of the machine. Put a proxy with TLS before it, and name it in "trusted_proxies".' : 'This machine only. "0.0.0.0" listens on all its addresses.'}
    "host": ${json(isPublic ? '0.0.0.0' : '127.0.0.1')},
    "port": 8080
  },

  // Answered checks of an account. The first start prints a key; \`assay keys create --plan startup\` makes more.
  "plans": { "startup": { "quota": ${quota}, "period": "month" } },

  // Lists and databases. Free ones without a key are on by default: \`assay datasets\` lists all.
  "datasets": {
${datasets.join('\n')}
  },

  // Keys, quotas and results: ${store === null ? 'in a file below "data". The URL of a PostgreSQL database shares them between instances.' : 'in PostgreSQL, shared by all instances.'}
  "store": ${json(store)},
  "data": "./data"
}
`
}

function placesLines(places: string): string[] {
  const heading = '    // Places of addresses.'
  if (places === 'country')
    return [`${heading} "dbip_city" has cities, for 130 MB of memory.`, '    "dbip_country": true']
  if (places === 'city') return [heading, '    "dbip_country": false,', '    "dbip_city": true']
  return [heading, `    "city": ${JSON.stringify(resolve(places))}`]
}

interface InitOptions {
  readonly public?: boolean
  readonly quota?: number
  readonly abuseChKey?: string | null
  readonly places?: string
  readonly store?: string | null
  readonly yes?: boolean
  readonly force?: boolean
}

/** Ends the command at a value that the question would refuse. */
const flagValue =
  <Value>(flag: string, read: (answer: string) => ParsedAnswer<Value>) =>
  (text: string): Value => {
    const reading = read(text)
    if ('value' in reading) return reading.value
    throw new CliError(EXIT.usage, `${flag}: ${reading.fault}`)
  }

const FILE = 'config.json'
const OWNER_ONLY = 0o600

export function defineInit(command: Command, output: Output): void {
  command
    .argument('[file]', 'the file to write', FILE)
    .option('--public', 'listen on all addresses')
    .option('--no-public', 'listen on this machine only')
    .option('--quota <n>', 'answered checks of an account per month', flagValue('--quota', readQuota))
    .option('--abuse-ch-key <key>', 'key of abuse.ch, for URLhaus', flagValue('--abuse-ch-key', readKey))
    .option('--places <what>', 'country, city, or the path of an MMDB file', flagValue('--places', readPlaces))
    .option('--store <url>', 'PostgreSQL database to share keys and results', flagValue('--store', readStore))
    .option('-y, --yes', 'ask nothing; use the defaults for missing options')
    .option('--force', 'replace the file')
    .addHelpText('after', pasteable(HELP))
    .action((file: string, options: InitOptions) => init(file, options, output))
}

async function init(file: string, options: InitOptions, output: Output): Promise<void> {
  if (existsSync(file) && !options.force) throw new CliError(EXIT.usage, `${file} exists; use --force to replace it`)
  const answers = await answersOf(options, output)
  const text = configurationText(answers)
  requireSound(readSettings(JSON.parse(withoutComments(text)), process.cwd(), {}).faults)
  writeText(file, text, OWNER_ONLY)
  output.out(pasteable(`Wrote ${file}. Continue with:\n\n  assay serve --config ${file}\n`))
}

async function answersOf(
  { public: isPublic, yes, quota, abuseChKey, places, store }: InitOptions,
  { screen }: Output,
): Promise<SetupAnswers> {
  const flags = { isPublic, quota, abuseChKey, places, store }
  const flagAnswers = Object.fromEntries(
    Object.entries(flags).filter(([, value]) => value !== undefined),
  ) as Partial<SetupAnswers>
  if (yes || !process.stdin.isTTY || screen === undefined) return { ...DEFAULTS, ...flagAnswers }
  const lines = createInterface({ input: process.stdin, output: screen })
  // Keeps lines that arrive before their question, as when several are pasted.
  const input = lines[Symbol.asyncIterator]()
  const ask = async (text: string) => {
    const start = text.lastIndexOf('\n') + 1
    screen.write(text.slice(0, start))
    lines.setPrompt(text.slice(start))
    lines.prompt()
    const { done, value } = await input.next()
    if (!done) return value.trim()
    screen.write('\n')
    throw new CliError(EXIT.usage, 'stopped; nothing is written')
  }
  try {
    return await askAll(flagAnswers, ask)
  } finally {
    lines.close()
  }
}

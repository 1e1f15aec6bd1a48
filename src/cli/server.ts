// The running service that commands ask instead of checking here: which one it is, with which key, and what its errors mean.
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import {
  AssayError,
  type Client,
  type ClientOptions,
  createClient,
  type Target as ServedTarget,
} from '../../clients/typescript/src/index.ts'
import { readServiceEnvironment, type ServiceEnvironment } from '../config/environment.ts'
import { requestForOne } from '../targets/target.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { pasteable } from './invocation.ts'
import { writeText } from './output.ts'

export interface ServiceAddressOptions {
  readonly server?: string
  readonly key?: string
  readonly local?: boolean
}

/** A service, and what it is called in messages. */
export interface Service {
  readonly client: Client
  readonly url: string
}

/** Adds the options that name a running service. */
export const serverOptions = (command: Command) =>
  command
    .option('--server <url>', 'ask this running service (or ASSAY_SERVER, or `assay login`)')
    .option(
      '--key <key>',
      'with --server: the API key (better in ASSAY_KEY or by `assay login`: other users can see arguments)',
    )
    .option('--local', 'run here, whatever the environment and `assay login` name')

/** Only its owner may read what `assay login` keeps. */
const OWNER_ONLY = 0o600
const FILE = join('assay', 'service.json')

/** What `assay login` keeps. */
interface Login {
  readonly server: string
  readonly key: string
}

const loginFile = ({ settings }: ServiceEnvironment): string | null =>
  settings === undefined ? null : join(settings, FILE)

/** Keeps the service and the key for later commands, readable by their owner only. Returns the file. */
export function keepLogin(login: Login): string {
  const file = loginFile(readServiceEnvironment())
  if (file === null)
    throw new CliError(EXIT.cannot_create, 'no home directory: set XDG_CONFIG_HOME, or ASSAY_KEY instead')
  writeText(file, `${JSON.stringify(login)}\n`, OWNER_ONLY)
  return file
}

/** Forgets what `keepLogin` kept; returns its file, or null when there was nothing. */
export function forgetLogin(): string | null {
  const file = loginFile(readServiceEnvironment())
  if (file === null || readLogin(file) === null) return null
  rmSync(file)
  return file
}

/** Null when there is no login. Ends the command when others can read the file, or when it is damaged. */
function readLogin(file: string): Login | null {
  const status = statSync(file, { throwIfNoEntry: false })
  if (status === undefined) return null
  if (process.platform !== 'win32' && (status.mode & 0o077) !== 0)
    throw new CliError(EXIT.config, `${file} can be read by other users; run \`chmod 600 ${file}\` and rotate its key`)
  try {
    const { server, key } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Login>
    if (typeof server === 'string' && typeof key === 'string') return { server, key }
  } catch {}
  throw new CliError(EXIT.config, pasteable(`${file} is damaged; run \`assay login\` again`))
}

/** The base URL of a service without a trailing slash. Ends the command if the text is not a URL. */
export function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new CliError(EXIT.usage, `"${text}" is not the URL of a service, such as https://assay.example.com`)
  if (url.username !== '' || url.password !== '')
    throw new CliError(EXIT.usage, 'the URL of a service contains no user information; give the key with --key')
  return url.href.replace(/\/+$/, '')
}

/** Options that concern the installation on this machine, by their names in `options`. */
const LOCAL = ['config', 'data', 'store', 'record', 'replay', 'account'] as const

/**
 * The service to ask, or null to run here. `--server` decides before ASSAY_SERVER, and that before `assay login`; an option about
 * this machine's installation keeps the command here, and is an error beside `--server`.
 */
export function serviceOf(
  options: ServiceAddressOptions & { readonly [Name in (typeof LOCAL)[number]]?: unknown },
  patience: Pick<ClientOptions, 'retries' | 'wait_ms'> = {},
): Service | null {
  const local = LOCAL.find(name => options[name] !== undefined)
  if (options.server !== undefined) {
    if (local !== undefined) throw new CliError(EXIT.usage, `--${local} cannot be used with --server`)
    if (options.local) throw new CliError(EXIT.usage, '--local cannot be used with --server')
  } else if (local !== undefined || options.local) {
    if (options.key !== undefined) throw new CliError(EXIT.usage, '--key requires --server')
    return null
  }
  const environment = readServiceEnvironment()
  const address = options.server ?? environment.server
  const file = loginFile(environment)
  const isWhole = address !== undefined && (options.key ?? environment.key) !== undefined
  const login = isWhole || file === null ? null : readLogin(file)
  const server = address ?? login?.server
  if (server === undefined) {
    if (options.key !== undefined) throw new CliError(EXIT.usage, '--key requires --server')
    return null
  }
  const url = serverUrl(server)
  const key = options.key ?? environment.key ?? (login?.server === url ? login.key : undefined)
  if (key === undefined)
    throw new CliError(EXIT.usage, pasteable(`no key for ${url}: set ASSAY_KEY, or run \`assay login ${url}\``))
  return { client: createClient({ server: url, key, ...patience }), url }
}

/** The service of a command that runs nowhere else. */
export function requireService(options: Parameters<typeof serviceOf>[0]): Service {
  const service = serviceOf(options)
  if (service !== null) return service
  throw new CliError(EXIT.usage, pasteable('name a running service: --server URL, ASSAY_SERVER, or `assay login URL`'))
}

/** Runs `work`; ends the command with what the service answered when it refuses. */
export const asking = <T>(work: Promise<T>): Promise<T> =>
  work.catch(error => {
    throw error instanceof AssayError ? refusalOf(error) : error
  })

/** The target of `assay check` as a request of the API. `ip` is the address at which to check a domain. */
export function servedTarget(text: string, ip?: string): ServedTarget {
  const { domain, ip: address, url, email } = requestForOne(text)
  if (email != null) return { email }
  if (url != null) return { url }
  return domain === null ? { ip: address ?? '' } : { domain, ...(ip !== undefined && { ip }) }
}

/** Exit codes by HTTP status. */
const codeOf = ({ status }: AssayError): number => {
  if (status === 401 || status === 403) return EXIT.denied
  if (status === 429 || status === 503) return EXIT.temporary
  return status !== null && status >= 400 && status < 500 ? EXIT.usage : EXIT.unavailable
}

/** What the service refused, as the end of the command. */
export function refusalOf(error: AssayError): CliError {
  const { message, code, retry_after_s, request_id, status } = error
  const later = retry_after_s === null ? '' : ` Retry after ${retry_after_s} s.`
  const report = status !== null && status >= 500 && request_id !== null ? ` Request ID: ${request_id}.` : ''
  return new CliError(codeOf(error), `${message}${later}${report} (${code})`)
}

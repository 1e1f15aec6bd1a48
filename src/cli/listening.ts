// Where the service listens, and how its start is announced.

import type { Config } from '../config/config.ts'
import { describeError } from '../service/api/log.ts'
import type { ApiServer } from '../service/api/server.ts'
import type { MoreFaults } from '../service/configured.ts'
import type { ServiceLog } from '../service/instance.ts'
import type { Backend } from '../store/backend.ts'
import { type IssuedKey, StoreError } from '../store/store.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { heldPlanFaults } from './held_plans.ts'
import type { LoadedSettings } from './options.ts'
import type { Output } from './output.ts'
import { type Apply, drainDelay, reloadOnHangUp, shutdownOnSignal } from './service_signals.ts'
import { outliveStrays } from './signals.ts'

/** A service that listens on its port, whichever processes answer there. */
export interface StartedService {
  readonly setting: LoadedSettings
  readonly url: string
  readonly store: Pick<Backend, 'keys'>
  readonly log: ServiceLog
  readonly output: Output
  /** Serves metrics where the configuration says so. */
  readonly operatorServer: Listening
  /** Members of the log line besides where it listens. */
  readonly facts?: object
  /** The target of the example request. */
  readonly example?: string
  /** Applies a configuration that is read again. */
  readonly adopt: Apply
  /** Settings that `adopt` applies besides the usual ones. */
  readonly adopts?: readonly (keyof Config)[]
  readonly close: () => Promise<void>
}

/** Every resolver knows it (RFC 2606). */
const EXAMPLE = 'example.com'

/** Listens for metrics and signals, then says where the service listens, in the log and to the operator. */
export async function announceStart(service: StartedService): Promise<void> {
  const { setting, url, store, output, operatorServer, facts, example = EXAMPLE } = service
  const { log, everything } = service.log
  const { config } = setting
  const operators = config.metrics.expose === 'port' ? await listenForMetrics(operatorServer, config) : null
  const banner = await startupBanner(store, config, url, example)
  // Before the start is announced, because a signal may follow at once.
  const ofPlans: MoreFaults = async ({ plans }, faults) =>
    faults.some(({ path }) => /^(?:$|plans(?:$|\.))/.test(path)) ? [] : heldPlanFaults(store.keys, plans)
  reloadOnHangUp(setting, service.adopt, ofPlans, everything, service.adopts)
  shutdownOnSignal(service.close, log, drainDelay(config.server))
  outliveStrays((stray, error) => log.error({ stray, error: describeError(error) }))
  if (operators !== null) {
    if ('url' in operators) log.info({ metrics: operators.url })
    else log.warn({ notice: operators.notice })
  }
  log.info({ listening: url, ...facts })
  output.err(banner)
}

/** The text at the start: where the service listens and, once for each store, the first API key with a request for `example`. */
async function startupBanner(
  { keys }: Pick<Backend, 'keys'>,
  { plans }: Config,
  url: string,
  example: string,
): Promise<string> {
  const lines = [`assay listens on ${url}`]
  const [plan] = Object.keys(plans)
  const first = plan === undefined ? null : await firstKey(keys, plan)
  if (first !== null) {
    const { text } = first
    lines.push(
      '',
      `Your first API key (plan ${plan}), shown only once:`,
      '',
      `  ${text}`,
      '',
      'Try it:',
      '',
      `  curl -s -H 'X-API-Key: ${text}' '${url}/api/v1/check?domain=${example}'`,
      '',
      'Or open it in a browser, with the same key:',
      '',
      `  ${url}/#${example}`,
      '',
    )
  }
  return `${lines.join('\n')}\n`
}

/** Null also while the store is unavailable, because it may contain keys. */
async function firstKey(keys: Backend['keys'], plan: string): Promise<IssuedKey | null> {
  try {
    return await keys.createFirst({ plan, label: 'first key' })
  } catch (error) {
    if (error instanceof StoreError && error.code === 'key_store_error') return null
    throw error
  }
}

interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** What listens: an HTTP server, or the port that workers share. */
type Listening = Pick<ApiServer, 'listen'>

/** Rejects with an error whose message ends with `advice`. */
export async function listen(server: Listening, { host, port }: ListenAddress, advice: string): Promise<string> {
  try {
    const boundAddress = await server.listen(port, host)
    const name = boundAddress.address.includes(':') ? `[${boundAddress.address}]` : boundAddress.address
    return `http://${name.replace(/^(0\.0\.0\.0|\[::\])$/, '127.0.0.1')}:${boundAddress.port}`
  } catch (error) {
    const { code = '', message = String(error) } = error as NodeJS.ErrnoException
    throw new CliError(EXIT.unavailable, `Cannot listen on ${host} port ${port}: ${causes[code] ?? message}. ${advice}`)
  }
}

const causes: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process uses that port',
  EACCES: 'this user is not allowed to use that port',
  EADDRNOTAVAIL: 'this machine does not have that address',
}

export const SERVICE_ADVICE = 'Choose another with --port and --host, or `server` in the configuration.'
const METRICS_ADVICE =
  'Choose another with `metrics` in the configuration, or switch them off: {"metrics":{"expose":"off"}}.'

/** The default metrics port is this far above the port of the service, so that several instances do not collide. */
const METRICS_OFFSET = 1_000
const HIGHEST_PORT = 65_535

function metricsPort(service: number): number {
  if (service === 0) return 0
  return service + METRICS_OFFSET <= HIGHEST_PORT ? service + METRICS_OFFSET : service - METRICS_OFFSET
}

/** When the default metrics port is taken, the service starts without it, and `notice` says so. */
export async function listenForMetrics(
  server: Listening,
  config: Config,
): Promise<{ url: string } | { notice: string }> {
  const { host, port } = config.metrics
  const place = { host, port: port ?? metricsPort(config.server.port) }
  try {
    return { url: await listen(server, place, METRICS_ADVICE) }
  } catch (error) {
    if (port !== null || !(error instanceof CliError)) throw error
    return { notice: `metrics: not served. ${error.message}` }
  }
}

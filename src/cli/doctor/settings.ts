// Settings that are valid and yet weak, and files that others may read or write.
import { statSync } from 'node:fs'
import type { Config } from '../../config/config.ts'
import type { Environment } from '../../config/environment.ts'
import { type DoctorFinding, ok, warning } from './finding.ts'

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1)$/i

export interface ExaminedSettings {
  readonly config: Config
  /** The configuration file, if there is one. */
  readonly file: string | undefined
  readonly environment: Pick<Environment, 'variables'>
  /** What the service warns about at its start. */
  readonly notices: readonly string[]
  /** Notices of third parties that learn the checked names: not a fault. */
  readonly disclosures: readonly string[]
}

export function examineSettings(installation: ExaminedSettings): readonly DoctorFinding[] {
  const { config, file, notices, disclosures } = installation
  const weak = [
    ...notices
      .filter(notice => !disclosures.includes(notice))
      .map(notice => warning('configuration', notice.replace(/\.$/, ''), 'See docs/configuration.md')),
    ...exposureFindings(config),
    ...(file === undefined ? [] : permissions(file)),
  ]
  const source = file === undefined ? 'defaults, without a file' : file
  return [
    ok('configuration', `valid (${source})`),
    ...weak,
    ...disclosures.map(text => ok('configuration', text)),
    ...proxies(installation),
  ]
}

function exposureFindings({ server, metrics }: Config): readonly DoctorFinding[] {
  return [
    ...(server.cors_origins.includes('*')
      ? [
          warning(
            'configuration',
            '`server.cors_origins` lets every web page call the API and read the answers',
            'List the origins of your own pages',
          ),
        ]
      : []),
    ...(metrics.expose === 'port' && !LOOPBACK.test(metrics.host)
      ? [
          warning(
            'configuration',
            `metrics are served to everyone who reaches ${metrics.host}`,
            'Limit that port to your monitoring by a firewall or a private network',
          ),
        ]
      : []),
  ]
}

const WRITABLE = 0o022

/** A secret in a world-readable file is an error of the configuration, which is reported before. */
function permissions(file: string): readonly DoctorFinding[] {
  const { mode } = statSync(file)
  if ((mode & WRITABLE) === 0) return []
  return [
    warning(
      'configuration',
      `others than its owner may write ${file}`,
      `They can load plugins: run \`chmod go-w ${file}\``,
    ),
  ]
}

const PROXY = /^(?:https?|all)_proxy$/i

/** The guard checks the address of each connection, so that it cannot leave connecting to a proxy. */
function proxies({ config: { server }, environment: { variables = {} } }: ExaminedSettings): readonly DoctorFinding[] {
  const set = Object.keys(variables).filter(name => PROXY.test(name) && variables[name])
  const proxyFindings =
    set.length === 0
      ? []
      : [
          warning(
            'proxies',
            `${set.join(', ')} is set and ignored: checks connect directly`,
            'Allow outbound connections to ports 43, 80 and 443, and UDP to your resolver',
          ),
        ]
  if (LOOPBACK.test(server.host) || server.trusted_proxies.length > 0)
    return [
      ...proxyFindings,
      ...(server.trusted_proxies.length > 0 ? [ok('proxies', `trusts ${server.trusted_proxies.join(', ')}`)] : []),
    ]
  return [
    ...proxyFindings,
    warning(
      'proxies',
      `the service listens on ${server.host} without TLS and trusts no proxy: behind one, all clients have its address`,
      'Put a TLS proxy in front, and list its address in `server.trusted_proxies`',
    ),
  ]
}

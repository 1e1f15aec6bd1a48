// `assay doctor`: what is wrong with this installation, and what to do about it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { systemClock } from '../base/clock.ts'
import type { Config } from '../config/config.ts'
import { UnusableBrowser } from '../evidence/rendered/browser.ts'
import { UnusableDataset } from '../knowledge/datasets/dataset.ts'
import { createService, disclosures } from '../service/service.ts'
import { openKeys } from '../store/open_backend.ts'
import { type Key, StoreError } from '../store/store.ts'
import { examine } from './doctor/examine.ts'
import { type DoctorFinding, type FindingState, failed, ok, warning, worst } from './doctor/finding.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { heldPlanFaults } from './held_plans.ts'
import { pasteable } from './invocation.ts'
import { configOption, dataOption, type SharedOptions, settle } from './options.ts'
import type { Output } from './output.ts'
import { COLOR_CHOICES, type ColorChoice, type Display, displayOf, type Tone, wrap } from './report/display.ts'

const HELP = `
Works with or without a running service, and changes nothing. It contacts what the service contacts at its start:
your resolvers (for names that certainly exist and one that cannot), up to three hosts to prove the way out (one also gives
its time), the test entries of the blocklists in use, and your PostgreSQL. --offline contacts only PostgreSQL.

Exits with 0 when everything is well, 1 at a warning, 2 when something failed.`

interface DoctorOptions extends SharedOptions {
  readonly offline?: boolean
  readonly json?: boolean
  readonly color: ColorChoice
}

export function defineDoctor(command: Command, output: Output): void {
  dataOption(configOption(command))
    .option('--offline', 'contact nothing outside; omits resolvers, egress, blocklists and the comparison of clocks')
    .option('-j, --json', 'print JSON')
    .addOption(new Option('--color <when>', 'use colour').choices([...COLOR_CHOICES]).default('auto'))
    .addHelpText('after', HELP)
    .action(async (options: DoctorOptions) => {
      const findings = await findingsOf(options)
      const state = worst(findings)
      output.out(
        options.json
          ? `${JSON.stringify({ state, findings })}\n`
          : text(findings, displayOf(options.color, output), output.columns !== undefined),
      )
      await output.drained?.()
      if (state !== 'ok')
        throw new CliError(state === 'failed' ? EXIT.doctor_failed : EXIT.doctor_warned, summary(findings))
    })
}

async function findingsOf(options: DoctorOptions): Promise<readonly DoctorFinding[]> {
  try {
    const { config, registry, environment } = await settle(options)
    const service = await createService({ config, registry, extra_roots: environment.extra_roots })
    try {
      return await examine({
        config,
        file: options.config ?? environment.config,
        environment,
        service,
        disclosures: disclosures(config, registry),
        offline: options.offline === true,
        clock: systemClock,
        keys: () => keysOf(config),
      })
    } finally {
      await service.close()
    }
  } catch (error) {
    if (error instanceof UnusableDataset) return error.message.split('\n').map(unusable)
    if (error instanceof UnusableBrowser) return [failed('browser', error.message, CORRECT)]
    if (error instanceof CliError && error.code === EXIT.config) return faultLines(error.message).map(invalid)
    throw error
  }
}

/** Without the heading that counts them. */
const faultLines = (text: string): string[] => {
  const lines = text.split('\n').map(line => line.trim())
  return lines.length > 1 ? lines.slice(1).filter(line => line !== '') : lines
}

const CORRECT = 'Correct the configuration; the rest is examined when it is valid'
const invalid = (line: string): DoctorFinding => failed('configuration', line, CORRECT)
const unusable = (line: string): DoctorFinding => failed('datasets', line, CORRECT)

/** Reads the keys of a store that exists, and changes nothing. */
async function keysOf(config: Config): Promise<readonly DoctorFinding[]> {
  if (config.store === null && !existsSync(join(config.data, 'assay.db')))
    return [ok('keys', 'none yet: the first start prints one')]
  try {
    const { keys, close } = await openKeys(config)
    try {
      const valid = (await keys.list()).filter(isValid).length
      const plans = await heldPlanFaults(keys, config.plans)
      return [
        valid > 0
          ? ok('keys', `${valid} valid`)
          : warning(
              'keys',
              'none is valid: every request is refused',
              pasteable('Create one: `assay keys create --plan PLAN`'),
            ),
        ...plans.map(({ path, message }) =>
          failed('keys', `${path}: ${message}`, 'Without the plan, the service does not start'),
        ),
      ]
    } finally {
      await close()
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return [warning('keys', `not examined: ${error.message}`, 'Correct the store first')]
  }
}

const isValid = ({ revoked, expires }: Key): boolean =>
  revoked === null && (expires === null || expires.getTime() > Date.now())

const TONES: Readonly<Record<FindingState, Tone>> = { ok: 'green', warning: 'yellow', failed: 'red' }

const STATE = 'warning'.length

/** A line each. Where `isWrapped`, messages are broken into a column of their own. */
function text(findings: readonly DoctorFinding[], display: Display, isWrapped: boolean): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const indent = STATE + width + 4
  const lines = findings.flatMap(({ check, state, message, advice }) => {
    const sentence = advice === null ? message : `${message}. ${pasteable(advice)}.`
    const [first = '', ...rest] = isWrapped ? wrap(sentence, display.width - indent) : [sentence]
    return [
      `${display.paint(TONES[state], state.padEnd(STATE))}  ${check.padEnd(width)}  ${first}`,
      ...rest.map(line => ' '.repeat(indent) + line),
    ]
  })
  return `${lines.join('\n')}\n`
}

function summary(findings: readonly DoctorFinding[]): string {
  const count = (state: FindingState) => findings.filter(one => one.state === state).length
  const [failures, warnings] = [count('failed'), count('warning')]
  return `${failures} failed, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`
}

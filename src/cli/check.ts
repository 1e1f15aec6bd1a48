// `assay check`: one check without a server; also records it, and replays a recording without a network.
import { isIP } from 'node:net'
import { type Command, Option } from 'commander'
import type { Analysis } from '../engine/analysis.ts'
import { type Recording, record, replay } from '../engine/recording.ts'
import { parseTarget, type Target } from '../engine/target.ts'
import type { Verdict } from '../scoring/verdict.ts'
import { type CheckService, createService } from '../service.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { writeText } from './files.ts'
import { configOption, type SharedOptions, settle } from './options.ts'
import type { Output } from './output.ts'
import { nothingSeen, readRecording } from './replayed.ts'
import { report } from './report.ts'

interface CheckOptions extends SharedOptions {
  readonly json?: boolean
  readonly ip?: string
  readonly record?: string
  readonly replay?: string
  readonly failOn?: Exclude<Verdict, 'safe'>
}

export function addCheck(program: Command, output: Output): void {
  configOption(program.command('check').description('check one domain name or IP address, without a server'))
    .argument('[target]', 'a domain name or an IP address')
    .option('--json', 'print the result as JSON')
    .option('--ip <address>', 'check the domain at this address')
    .option('--record <file>', 'keep the evidence in a file')
    .option('--replay <file>', 'analyse the evidence of such a file again, without a network')
    .addOption(
      new Option('--fail-on <verdict>', 'exit with 1 when the verdict is this or worse').choices([
        'suspicious',
        'malicious',
      ]),
    )
    .action((target: string | undefined, options: CheckOptions) => check(target, options, output))
}

async function check(asked: string | undefined, options: CheckOptions, { out, err }: Output): Promise<void> {
  const recording = options.replay === undefined ? null : readRecording(options.replay)
  const service = await openService(options, recording)
  try {
    if (recording === null) await prepare(service, err)
    const target = targetOf(asked, options, recording, service)
    const { result, analysis } = await run(service, target, recording)
    for (const { plugin, stage, error } of analysis.defects) err(`assay: ${plugin} broke at ${stage}: ${error}\n`)
    out(options.json ? `${JSON.stringify(result)}\n` : report(result))
    if (options.record) writeText(options.record, `${JSON.stringify(record(analysis, result.process_time_ms))}\n`)
    failOn(result['verdict'] as Verdict, options.failOn)
  } finally {
    await service.close()
  }
}

/** A check that goes out tells what it lacks, and proves what it will believe. */
async function prepare(service: CheckService, err: Output['err']): Promise<void> {
  for (const notice of service.notices) err(`assay: ${notice}\n`)
  await service.start()
}

async function openService(options: CheckOptions, recording: Recording | null): Promise<CheckService> {
  const { config, registry, environment } = await settle(options)
  const { extra_roots } = environment
  if (recording === null) return createService({ config, registry, extra_roots })
  const { extension, clock } = replay(recording)
  return createService({ config, registry, extra_roots, extensions: [extension], clock })
}

function targetOf(
  asked: string | undefined,
  { ip }: CheckOptions,
  recording: Recording | null,
  { guard }: CheckService,
): Target {
  if (recording !== null) {
    if (asked === undefined && ip === undefined) return recording.target
    throw new CliError(EXIT.usage, 'a recording has its own target; give none beside --replay')
  }
  if (asked === undefined) throw new CliError(EXIT.usage, 'give a domain name or an IP address, or --replay')
  const isAddress = isIP(asked) !== 0
  if (isAddress && ip !== undefined) throw new CliError(EXIT.usage, '--ip goes with a domain name')
  const parsed = parseTarget(isAddress ? { domain: null, ip: asked } : { domain: asked, ip: ip ?? null }, guard.refuse)
  if (!parsed.ok) throw new CliError(EXIT.usage, `${asked}: ${parsed.detail}`)
  return parsed.target
}

interface Checked {
  readonly result: Readonly<Record<string, unknown>> & { readonly process_time_ms: number }
  readonly analysis: Analysis
}

/** Checks and completes the result with the members that are the request's own. */
async function run({ engine }: CheckService, target: Target, recording: Recording | null): Promise<Checked> {
  const began = performance.now()
  const seen: Analysis[] = []
  try {
    const { result } = await engine.check(target, { observe: analysis => seen.push(analysis) })
    const process_time_ms = recording?.durations.check ?? Math.round(performance.now() - began)
    return { result: { ...result, process_time_ms, cached: false }, analysis: seen[0] as Analysis }
  } catch (error) {
    throw nothingSeen(error)
  }
}

function failOn(verdict: Verdict, least: CheckOptions['failOn']): void {
  const reached = least !== undefined && (verdict === 'malicious' || verdict === least)
  if (reached) throw new CliError(EXIT.failed_on, `the verdict is ${verdict}`)
}

// One run: the world and one service, every case in random order, the invariants between, one report a case.
import { rmSync } from 'node:fs'
import { openKeyFile } from '../../src/store/embedded/embedded_store.ts'
import { answerRules } from './answers.ts'
import type { FaultCase } from './case.ts'
import { ask } from './client.ts'
import { type Baseline, baselineOf, holdInvariants } from './invariants.ts'
import { type Options, random, shuffled } from './options.ts'
import { play, type Theatre } from './play.ts'
import { COOKIE_CANARY } from './secrets.ts'
import { startFaultService } from './service.ts'
import type { Held } from './service_process.ts'
import { ANSWER_MS, type Setting, writeSetting } from './setting.ts'
import type { Stage } from './stage.ts'
import { startFaultWorld } from './world.ts'

export interface Report {
  readonly row: number
  readonly of: string
  readonly ms: number
  /** What is not as it should be; null when all is. */
  readonly fault: string | null
}

export interface Summary {
  readonly seed: number
  readonly stage: Stage['name']
  readonly first: Held
  readonly last: Held
  readonly forbidden: number
}

export const titleOf = ({ row, of }: Pick<FaultCase, 'row' | 'of'>): string => `row ${row}: ${of}`

/** `report` is told of each case as it ends; a broken invariant is laid at the door of all that were played since it last held. */
export async function runFaults(
  cases: readonly Numbered[],
  openStage: (dialled: () => number) => Promise<Stage>,
  { seed, lanes }: Options,
  report: (one: Report) => void,
): Promise<Summary> {
  let dialled = 0
  const stage = await openStage(() => dialled)
  const world = await startFaultWorld(stage)
  const setting = writeSetting(stage, world)
  const service = await startFaultService({ stage, config: setting.config, roots: setting.roots })
  const keys = await issuer(setting)
  const secrets = [setting.directory, process.cwd(), 'node:internal', ...world.resolvers, COOKIE_CANARY]
  try {
    await world.settle(service)
    const at = { host: service.address, port: service.port, from: stage.clientAddress(1) }
    const { body } = await ask({ ...at, path: '/openapi.json', headers: {} })
    const check = answerRules(body, { deadline_ms: ANSWER_MS, secrets: () => [...secrets, ...keys.issued] })
    const held = service.held
    const watched = {
      ...service,
      held: async () => {
        const now = await held()
        dialled = now.forbidden
        return now
      },
    }
    const theatre: Theatre = { stage, world, service: watched, check, newKey: keys.create }
    const key = await keys.create()
    const baseline = await baselineOf(theatre, key)
    const last = await playAll(batches(cases, seed, lanes), theatre, baseline, {
      key,
      report,
      secrets,
      issued: keys.issued,
    })
    return { seed, stage: stage.name, first: baseline.held, last, forbidden: stage.forbiddenPackets() }
  } finally {
    await keys.close()
    await service.close()
    await world.close()
    stage.close()
    rmSync(setting.directory, { recursive: true, force: true })
  }
}

export type Numbered = { readonly fault: FaultCase; readonly number: number }

/** In an order of the seed's, those that wait last and all at once. Numbers are the table's, whatever the order. */
function batches(cases: readonly Numbered[], seed: number, lanes: number): Numbered[][] {
  const all = shuffled(cases, random(seed))
  const quick = all.filter(({ fault }) => !fault.slow)
  const cut = Array.from({ length: Math.ceil(quick.length / lanes) }, (_, at) =>
    quick.slice(at * lanes, (at + 1) * lanes),
  )
  const slow = all.filter(({ fault }) => fault.slow)
  return slow.length > 0 ? [...cut, slow] : cut
}

interface Playing {
  readonly key: string
  readonly report: (one: Report) => void
  readonly secrets: readonly string[]
  readonly issued: readonly string[]
}

async function playAll(
  all: readonly Numbered[][],
  theatre: Theatre,
  baseline: Baseline,
  playing: Playing,
): Promise<Held> {
  let held = baseline.held
  let logged = 0
  for (const [at, batch] of all.entries()) {
    const played = await Promise.all(batch.map(one => played1(one, theatre)))
    const { key, report, secrets, issued } = playing
    const after = await holdInvariants(theatre, baseline, {
      key,
      label: `after${at}`,
      secrets: [...secrets, ...issued],
      from: logged,
    })
      .then(now => {
        held = now
        return null
      })
      .catch(describe)
    logged = theatre.service.logged()
    const together = after === null ? null : `afterwards ${after}, with ${batch.map(({ fault }) => fault.row)}`
    for (const one of played) report({ ...one, fault: one.fault ?? together })
  }
  return held
}

async function played1({ fault, number }: Numbered, theatre: Theatre): Promise<Report> {
  const began = performance.now()
  const wrong = await play(fault, number, theatre).then(() => null, describe)
  return { row: fault.row, of: fault.of, ms: Math.round(performance.now() - began), fault: wrong }
}

const describe = (error: unknown): string =>
  error instanceof Error
    ? `${error.message}${error.name === 'AssertionError' ? '' : `\n${error.stack}`}`
    : String(error)

/** Keys of accounts of their own, made beside the running service as the command line makes them. */
async function issuer({ data }: Setting) {
  const file = await openKeyFile({ directory: data })
  const issued: string[] = []
  return {
    issued,
    async create(plan = 'startup') {
      const { text } = await file.keys.create({ plan, label: 'fault' })
      issued.push(text)
      return text
    },
    close: () => file.close(),
  }
}

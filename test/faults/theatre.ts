// The theatre of a run: the world, the one service in it, the rules of its answers, and keys for whoever plays.
import { rmSync } from 'node:fs'
import { openKeysIn } from '../store/opened.ts'
import { answerRules } from './answers.ts'
import { ask } from './client.ts'
import { type Baseline, baselineOf } from './invariants.ts'
import type { Theatre } from './play.ts'
import { COOKIE_CANARY } from './secrets.ts'
import { type FaultService, startFaultService } from './service.ts'
import { ANSWER_MS, type Setting, writeSetting } from './setting.ts'
import type { Stage } from './stage.ts'
import { startFaultWorld } from './world.ts'

export type OpenStage = (dialled: () => number) => Promise<Stage>

export interface OpenTheatre extends Theatre {
  readonly baseline: Baseline
  /** Of the healthy site's checks. */
  readonly key: string
  /** What may be in no answer and no log: our own places, and the keys that are in use. */
  secrets(): readonly string[]
  close(): Promise<void>
}

/** Keys that answers and log are searched for: those of the cases at hand, and some before them. */
const SEARCHED = 100

export async function openTheatre(openStage: OpenStage): Promise<OpenTheatre> {
  let dialled = 0
  const stage = await openStage(() => dialled)
  const world = await startFaultWorld(stage)
  const setting = writeSetting(stage, world)
  const started = await startFaultService({ stage, config: setting.config, roots: setting.roots })
  const service: FaultService = {
    ...started,
    async held() {
      const now = await started.held()
      dialled = now.forbidden
      return now
    },
  }
  const keys = await issuer(setting)
  const close = async () => {
    await keys.close()
    await service.close()
    await world.close()
    stage.close()
    rmSync(setting.directory, { recursive: true, force: true })
  }
  try {
    await world.settle(service)
    const own = [setting.directory, process.cwd(), 'node:internal', ...world.resolvers, COOKIE_CANARY]
    const secrets = () => [...own, ...keys.issued.slice(-SEARCHED)]
    const at = { host: service.address, port: service.port, from: stage.clientAddress(1) }
    const { body } = await ask({ ...at, path: '/openapi.json', headers: {} })
    const check = answerRules(body, { deadline_ms: ANSWER_MS, secrets })
    const theatre: Theatre = { stage, world, service, check, newKey: keys.create, revoke: keys.revoke }
    const key = await keys.create()
    return { ...theatre, key, secrets, close, baseline: await baselineOf(theatre, key) }
  } catch (error) {
    await close()
    throw error
  }
}

/** Keys of accounts of their own, made beside the running service as the command line makes them. */
async function issuer({ data }: Setting) {
  const file = await openKeysIn(data)
  const issued: string[] = []
  const ids = new Map<string, string>()
  return {
    issued,
    async create(plan = 'startup') {
      const { text, key } = await file.keys.create({ plan, label: 'fault' })
      issued.push(text)
      ids.set(text, key.id)
      return text
    },
    async revoke(text: string) {
      await file.keys.revoke(ids.get(text) ?? '')
    },
    close: () => file.close(),
  }
}

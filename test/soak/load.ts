// Healthy clients beside the hostile world: known and new names of a healthy site, answered rightly all along.
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, BUSY } from '../faults/client.ts'
import { controlCheck } from '../faults/invariants.ts'
import { fieldOf } from '../faults/play.ts'
import type { FaultService } from '../faults/service.ts'
import type { OpenTheatre } from '../faults/theatre.ts'

export interface HealthyLoad {
  resume(): void
  /** The theatre, whose service is asked what it holds only while nobody is served. */
  pausing(theatre: OpenTheatre): OpenTheatre
  /** Answers so far. */
  healthy(): number
  /** Told to come back, again and again: they all ask for names of one domain, which has its cap. */
  refused(): number
  /** Resolves with what was wrong, and how often. */
  stop(): Promise<ReadonlyMap<string, number>>
}

/** Clients, and milliseconds between two requests of one. */
const CLIENTS = 4
const BETWEEN_MS = 40
/** One in so many asks for a name that was not asked for before. */
const NEW = 10

export function healthyLoad(theatre: OpenTheatre): HealthyLoad {
  const expected = fieldOf(theatre.baseline.control.body, 'verdict')
  const wrong = new Map<string, number>()
  let [running, paused, answered, refused, active, asked] = [true, true, 0, 0, 0, 0]
  const client = async (number: number) => {
    while (running) {
      await pause(BETWEEN_MS)
      if (paused) continue
      active += 1
      asked += 1
      const label = asked % NEW === 0 ? `new${asked}` : `known${number}`
      const answer = await controlCheck(theatre, theatre.key, label).catch((error: Error) => error)
      active -= 1
      answered += 1
      if (isRefusal(answer)) refused += 1
      const fault = faultOf(answer, expected)
      if (fault !== null) wrong.set(fault, (wrong.get(fault) ?? 0) + 1)
    }
  }
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))
  const quiet = async () => {
    paused = true
    while (active > 0) await pause(10)
  }
  return {
    resume() {
      paused = false
    },
    pausing(open) {
      const service: FaultService = {
        ...open.service,
        async held() {
          await quiet()
          return open.service.held()
        },
      }
      return { ...open, service }
    },
    healthy: () => answered,
    refused: () => refused,
    async stop() {
      running = false
      await clients
      return wrong
    },
  }
}

/** What is wrong with an answer, or null; the same for all of a kind. */
function faultOf(answer: Answer | Error, verdict: unknown): string | null {
  if (answer instanceof Error) return `no answer: ${answer.message}`
  const { status, body } = answer
  if (isRefusal(answer)) return null
  if (status !== 200) return `status ${status}, ${fieldOf(body, 'code')}`
  if (fieldOf(body, 'verdict') === verdict) return null
  return `${fieldOf(body, 'verdict')} by ${fieldOf(body, 'signals')}`
}

const isRefusal = (answer: Answer | Error): boolean =>
  !(answer instanceof Error) && answer.status === 503 && BUSY.includes(String(fieldOf(answer.body, 'code')))

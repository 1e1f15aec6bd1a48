// Where recordings and golden results lie, and how a recording becomes a result without a network.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseRecording, type Recording, replay } from '../../src/engine/recording.ts'
import type { Dial } from '../../src/network/network.ts'
import { createService } from '../../src/service/service.ts'
import { configured, type Result } from '../service/lab.ts'

const fileOf = (folder: 'recordings' | 'results', kind: string): string =>
  join(import.meta.dirname, folder, `${kind}.json`)

export const recordingText = (kind: string): string => readFileSync(fileOf('recordings', kind), 'utf8')
export const readRecording = (kind: string): Recording => parseRecording(recordingText(kind))
export const readResult = (kind: string): Result => JSON.parse(readFileSync(fileOf('results', kind), 'utf8')) as Result

/** Kinds that have a file, sorted. */
export const kindsIn = (folder: 'recordings' | 'results'): string[] =>
  readdirSync(join(import.meta.dirname, folder))
    .map(name => name.replace(/\.json$/, ''))
    .sort()

export const writeRecording = (kind: string, recording: Recording): void =>
  writeFileSync(fileOf('recordings', kind), `${JSON.stringify(recording, null, 2)}\n`)
export const writeResult = (kind: string, result: Result): void =>
  writeFileSync(fileOf('results', kind), `${JSON.stringify(result, null, 2)}\n`)

const noNetwork: Dial = () => {
  throw new Error('a replay dialled')
}

/** As shipped: no golden result depends on a setting. */
const asShipped = configured({})

/** A whole service that replays recordings, one at a time. */
export interface Replayer {
  /** What the plugins of today make of a recording: the whole result, as a client gets it. */
  resultOf(recording: Recording): Promise<Result>
  close(): Promise<void>
}

/** Opens one service for many recordings: opening takes longer than any replay. */
export async function openReplayer(): Promise<Replayer> {
  let current: Recording = NOTHING
  const { extension, clock } = replay({
    ...NOTHING,
    get evidence() {
      return current.evidence
    },
    get checked_at() {
      return current.checked_at
    },
    get durations() {
      return current.durations
    },
  })
  const service = await createService({
    ...(await asShipped),
    dial: noNetwork,
    clock,
    extensions: [extension],
    replayed: true,
  })
  return {
    async resultOf(recording) {
      current = recording
      const { result } = await service.engine.check(recording.target)
      return { ...result, process_time_ms: recording.durations.check, cached: false } as unknown as Result
    },
    close: service.close,
  }
}

const NOTHING: Recording = {
  format: 1,
  target: { kind: 'ip', domain: null, ip: '0.0.0.0', registrable: null, registered: null, url: null, visit: true },
  checked_at: new Date(0).toISOString(),
  evidence: {},
  durations: { check: 0, sections: {} },
}

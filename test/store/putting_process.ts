// Puts results in Redis until it is killed: fifty names, over and over, with a body that tells whose it is.
import { openWith, PATIENT_MS } from './backends.ts'

/** Some kilobytes, as results are. */
export const bodyOf = (n: number, round: number): string =>
  `{"n":${n},"round":${round},"text":"${`${n}.${round} `.repeat(600)}","process_time_ms":`

const [, script, url = '', data = ''] = process.argv
if (script === import.meta.filename) {
  const { cache } = await openWith({ store: url, data, command_ms: PATIENT_MS })
  for (let round = 1; ; round++) {
    await Promise.all(
      Array.from({ length: 50 }, (_, n) => cache.put(`killed-${n}`, Buffer.from(bodyOf(n, round)), 'complete')),
    )
    if (round === 1) process.stdout.write('.')
  }
}

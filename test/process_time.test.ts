import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createProcessClock } from './process_time.ts'

describe('the time of a process', () => {
  type Moment = readonly [real: number, waited: number]

  /** What the clock tells at each of these moments, with the milliseconds that the process had waited by then. */
  const told = (...moments: readonly Moment[]) => {
    let [real, waited] = [0, 0]
    const clock = createProcessClock({ real: () => real, waited: () => waited })
    return moments.map(moment => {
      ;[real, waited] = moment
      return clock()
    })
  }
  const cases: Readonly<Record<string, readonly [moments: readonly Moment[], told: readonly number[]]>> = {
    'passes as that of the machine while it does not wait': [
      [
        [10, 0],
        [20, 0],
      ],
      [10, 20],
    ],
    'stands still while it waits': [
      [
        [10, 0],
        [60, 50],
        [70, 50],
      ],
      [10, 10, 20],
    ],
    'passes in part when it waited for a part': [
      [
        [10, 0],
        [60, 20],
      ],
      [10, 40],
    ],
    'never goes back': [
      [
        [10, 0],
        [11, 0],
        [13, 3],
      ],
      [10, 11, 11],
    ],
    'goes by the latest figure of the kernel within two milliseconds': [
      [
        [10, 0],
        [11, 9],
        [30, 9],
      ],
      [10, 11, 21],
    ],
    'never stands still for longer than passed': [
      [
        [10, 0],
        [20, 500],
        [30, 500],
      ],
      [10, 10, 20],
    ],
  }
  for (const [title, [moments, expected]] of Object.entries(cases))
    it(title, () => assert.deepEqual(told(...moments), expected))
})

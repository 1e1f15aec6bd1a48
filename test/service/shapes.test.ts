// What a check makes has the shapes that every other check's has: V8 finds the members of objects of one shape without looking.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { serviceHosts } from './hosts.ts'
import { type Checked, type Lab, startLab } from './lab.ts'

type HaveSameShape = (one: object, other: object) => boolean

/** Checks after which V8 copies objects its quick way, which is the one that may give each a shape of its own. */
const WARM_UP = 40

/** The flag stays, for V8 may read the function again whenever it has not been called for a while. */
function shapeComparison(): HaveSameShape {
  setFlagsFromString('--allow-natives-syntax')
  return new Function('one', 'other', 'return %HaveSameMap(one, other)') as HaveSameShape
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)

const hasSameMembers = (one: object, other: object) =>
  JSON.stringify(Object.keys(one)) === JSON.stringify(Object.keys(other))

/** Where two values of equal members differ in shape, with a path without indexes. */
function differences(one: unknown, other: unknown, same: HaveSameShape, path: string): string[] {
  if (!isObject(one) || !isObject(other)) return []
  const isList = Array.isArray(one)
  const own = isList || !hasSameMembers(one, other) || same(one, other) ? [] : [path]
  const members = Object.keys(one).flatMap(key =>
    differences(one[key], other[key], same, isList ? `${path}[]` : `${path}.${key}`),
  )
  return [...own, ...members]
}

/** Their members are named by the target, so V8 may keep any of them as a table. */
const DICTIONARIES = /\.(?:look\.elements|csp\.directives)$/

/** In lists, for the shape of a collection made here would be of no interest. */
const made = ({ analysis }: Checked) => [[...analysis.evidence], [...analysis.outcomes]]

describe('the objects of a check', () => {
  const same = shapeComparison()
  let lab: Lab
  before(async () => {
    lab = await startLab({ hosts: serviceHosts })
  })
  after(() => lab.close())

  it('are grouped by their members', () => {
    const table = [
      { one: { a: 1 }, other: { a: 2 }, found: [] },
      { one: { a: [{ b: 1 }] }, other: { a: [Object.freeze({ b: 1 })] }, found: ['.a[]'] },
    ]
    for (const { one, other, found } of table) assert.deepEqual(differences(one, other, same, ''), found)
  })

  for (const domain of ['healthy-shop.lab', 'secure-paypal-login.lab']) {
    it(`have the same shapes twice for ${domain}`, async () => {
      for (let left = WARM_UP; left > 0; left--) await lab.check({ domain })
      const [one, other] = [made(await lab.check({ domain })), made(await lab.check({ domain }))]
      const found = [...new Set(differences(one, other, same, ''))].filter(path => !DICTIONARIES.test(path))
      assert.deepEqual(found, [], 'begin the literal with a member of its own instead of a spread')
    })
  }
})

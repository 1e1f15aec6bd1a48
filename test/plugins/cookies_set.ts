// Cookies judged by the cookies plugin: only the fields that a case is about need to be said.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import plugin from '../../plugins/cookies/index.ts'
import type { Section } from '../../plugins/cookies/section.ts'
import { redactSetCookie } from '../../src/network/set_cookie.ts'
import { pageOf, type ResponseGiven } from '../../src/testing/page_of.ts'
import { find, sectionOf } from './web_section.ts'

type Item = NonNullable<Section['items']>[number]

export const findOf = (...responses: readonly ResponseGiven[]) => find(plugin.analyze, pageOf(...responses))
export const setting = (...fields: readonly string[]): ResponseGiven => ({
  headers: fields.map(field => `set-cookie: ${field}`),
})
export const sectionWith = (...fields: readonly string[]): Section => sectionOf(findOf(setting(...fields)))
const itemOf = (field: string): Item | undefined => sectionWith(field).items?.[0]

/** Both as the network saw it and as evidence keeps it. */
const both = (field: string) => [itemOf(field), itemOf(redactSetCookie(field))]

/** One test a row: what the section says of a cookie set by https://example.com/. */
export function table(cases: readonly (readonly [title: string, field: string, expected: Partial<Item>])[]) {
  for (const [title, field, expected] of cases) {
    it(title, () => {
      for (const item of both(field)) {
        const actual = Object.fromEntries(Object.entries(item ?? {}).filter(([name]) => name in expected))
        assert.deepEqual(actual, expected)
      }
    })
  }
}

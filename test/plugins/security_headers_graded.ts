// A response judged by security_headers: only the headers that a case is about need to be said.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import plugin from '../../plugins/security_headers/index.ts'
import type { GradedHeaders } from '../../plugins/security_headers/section.ts'
import type { Document } from '../../src/evidence/document/facts.ts'
import type { Target } from '../../src/targets/target.ts'
import { documentOf, pageOf, type ResponseGiven } from '../../src/testing/page_of.ts'
import { EXAMPLE } from '../engine/engine_of.ts'
import { ipTarget } from '../evidence_of.ts'
import { find, sectionOf } from './web_section.ts'

/** The finding about one response. */
export const findOf = (response: ResponseGiven, document: Partial<Document> = {}, target: Target = EXAMPLE) =>
  find(plugin.analyze, pageOf(response), documentOf(document), target)
/** The section of a response that was graded, with nothing unknown. */
export const graded = (headers: readonly string[], document: Partial<Document> = {}) =>
  sectionOf(findOf({ headers }, document)) as Whole

type Whole = { readonly [Name in keyof GradedHeaders]: NonNullable<GradedHeaders[Name]> }

type Cases<Section> = readonly (readonly [title: string, headers: readonly string[], expected: Partial<Section>])[]

/** One test a row: what the header's part of the section says of these lines. */
export function table<Key extends keyof GradedHeaders>(key: Key, cases: Cases<GradedHeaders[Key]>) {
  for (const [title, headers, expected] of cases) {
    it(title, () => {
      const section = graded(headers)[key] as Record<string, unknown>
      const actual = Object.fromEntries(Object.keys(expected).map(name => [name, section[name]]))
      assert.deepEqual(actual, expected)
    })
  }
}

/** For addresses, browsers remember no policy. */
export const ADDRESS = ipTarget('93.184.216.34')

export const sts = (value: string) => `strict-transport-security: ${value}`
export const csp = (value: string) => `content-security-policy: ${value}`

/** A policy without a weakness. */
export const STRICT = "script-src 'nonce-2726c7f26c' 'strict-dynamic'; object-src 'none'; base-uri 'none'"

// Pages that a script or another document draws: lures behind each way to write a page, and honest uses of the same means.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { builtInPlugins } from '../../../plugins/index.ts'
import type { LoadedPlugin } from '../../../src/engine/contract.ts'
import { RECOMMENDATIONS, type Recommendation } from '../../../src/engine/scoring/recommendation.ts'
import { CAREFUL_HEADERS, openPageChecks, type PageChecks } from '../../../src/testing/check_page.ts'
import { sampled } from '../../sample.ts'
import { honestUses, pageWith } from './honest.ts'
import { LURE_URL, lures } from './lures.ts'
import { type Sent, ways } from './ways.ts'

const AGES = { 'three days': 3, 'forty days': 40, 'eight years': 2_922, unknown: null } as const

type Age = keyof typeof AGES

const ages = Object.keys(AGES) as Age[]

/** What a way to write changes, it changes at the youngest age, the oldest, or both. */
const ENDS: readonly Age[] = ['three days', 'eight years']

/** At this age, an application that its own script draws is allowed. */
const OLD: Age = 'eight years'

interface Judgement {
  readonly verdict: string
  readonly recommendation: Recommendation
  readonly confidence: string
  readonly signals: readonly string[]
  readonly content_analysis: { readonly forms: unknown }
}

type Judge = (url: string, sent: Sent, age: Age) => Promise<Judgement>

/** With a content security policy, browsers would not run the scripts. */
const HEADERS = CAREFUL_HEADERS.filter(([name]) => name !== 'content-security-policy')

/** Judges pages with checks that are open while the suite runs. */
function judging(plugins: readonly LoadedPlugin[]): Judge {
  let checks: PageChecks
  before(async () => {
    checks = await openPageChecks({}, { plugins })
  })
  after(() => checks.close())
  return async (url, { html, content_type }, age) => {
    const headers = HEADERS.map(
      ([name, value]) => [name, name === 'content-type' ? (content_type ?? value) : value] as const,
    )
    return (await checks.check({ url, html, headers, age_days: AGES[age] })) as unknown as Judgement
  }
}

/** What a lure is judged as when its markup is sent as it is. */
interface Plain {
  readonly recommended: Readonly<Record<Age, Recommendation>>
  readonly forms: unknown
}

const BLOCKED_WHEN_NEW = {
  'three days': 'block',
  'forty days': 'review',
  'eight years': 'review',
  unknown: 'review',
} as const
/** A page that is built like a kit, under the look of somebody else. */
const BLOCKED = { 'three days': 'block', 'forty days': 'block', 'eight years': 'block', unknown: 'block' } as const

const oneForm = (action: string, has_password: boolean) => ({
  total: 1,
  with_password: has_password ? 1 : 0,
  password_outside: false,
  items: [{ method: 'post', action: `${LURE_URL}${action}`, destination: 'same_site', has_password }],
})
const NO_FORM = { total: 0, with_password: 0, password_outside: false, items: [] }

const plain: Readonly<Record<string, Plain>> = {
  'the log-in of a payment service': { recommended: BLOCKED, forms: oneForm('signin.php', true) },
  'the fee of a parcel': { recommended: BLOCKED_WHEN_NEW, forms: oneForm('pay.php', false) },
  'the password of a mailbox': { recommended: BLOCKED, forms: oneForm('post.php', true) },
  'the seed phrase of a wallet': { recommended: BLOCKED, forms: oneForm('restore.php', false) },
  'a command to run': { recommended: BLOCKED_WHEN_NEW, forms: NO_FORM },
  'a one-time code': { recommended: BLOCKED, forms: oneForm('otp.php', false) },
}

interface Case extends Pick<Judgement, 'recommendation' | 'confidence'> {
  readonly lure: string
  readonly age: Age
  readonly forms: unknown
  readonly plain: Plain
}

/** What a lure is found by, and what confidence rests on. With all plugins, the checks take half as long again. */
const JUDGING: ReadonlySet<string> = new Set(['content_analysis', 'reputation', 'ssl_info'])

describe('a lure', () => {
  const judge = judging(builtInPlugins.filter(({ plugin }) => JUDGING.has(plugin.name)))

  /** Each lure at each of these ages. */
  async function casesOf(
    send: (html: string) => Sent,
    ages: readonly Age[],
    taken = sampled(lures, 2),
  ): Promise<readonly Case[]> {
    const cases: Case[] = []
    for (const { title, html } of taken) {
      const expected = plain[title]
      assert.ok(expected, `what is expected of ${title} is not listed`)
      const sent = send(html)
      for (const age of ages) {
        const { recommendation, confidence, content_analysis } = await judge(LURE_URL, sent, age)
        cases.push({ lure: title, age, recommendation, confidence, forms: content_analysis.forms, plain: expected })
      }
    }
    return cases
  }

  it('is found when its markup is sent as it is', async () => {
    const cases = await casesOf(html => ({ html }), ages, lures)
    assert.deepEqual(
      cases.map(({ lure, age, recommendation, forms }) => ({ lure, age, recommendation, forms })),
      cases.map(({ lure, age, plain: { recommended, forms } }) => ({
        lure,
        age,
        recommendation: recommended[age],
        forms,
      })),
    )
  })

  for (const { title, send } of ways.filter(({ seen }) => seen)) {
    it(`is found behind ${title}`, async () => {
      assert.deepEqual(
        (await casesOf(send, ENDS)).flatMap(one => notFound(one)),
        [],
      )
    })
  }

  for (const { title, send } of ways.filter(({ seen }) => !seen)) {
    it(`is not taken for a page that was seen behind ${title}`, async () => {
      assert.deepEqual(
        (await casesOf(send, ENDS)).flatMap(one => takenForSeen(one)),
        [],
      )
    })
  }
})

/** In what a hidden lure is judged milder than the plain one, or as asking for something else. */
function notFound({ lure, age, recommendation, forms, plain }: Case): string[] {
  const expected = plain.recommended[age]
  const isMilder = RECOMMENDATIONS.indexOf(recommendation) < RECOMMENDATIONS.indexOf(expected)
  return [
    ...(isMilder ? [`${lure}, ${age}: ${recommendation} instead of ${expected}`] : []),
    ...(JSON.stringify(forms) === JSON.stringify(plain.forms) ? [] : [`${lure}, ${age}: ${JSON.stringify(forms)}`]),
  ]
}

/** In what a page that cannot be read is judged as if it had been. */
function takenForSeen({ lure, age, recommendation, confidence }: Case): string[] {
  return [
    ...(recommendation === 'allow' && age !== OLD ? [`${lure}, ${age}: allow`] : []),
    ...(confidence === 'high' ? [`${lure}, ${age}: high confidence`] : []),
  ]
}

describe('an honest page is judged as it would be without', () => {
  const judge = judging(builtInPlugins)
  const judged = async (markup: string) => {
    const judgements = []
    for (const age of ['forty days', 'unknown'] as const) {
      const sent = { html: pageWith(markup) }
      const { verdict, recommendation, confidence, signals } = await judge('https://orchard-notes.org/', sent, age)
      judgements.push({ age, verdict, recommendation, confidence, signals })
    }
    return judgements
  }

  let without: Awaited<ReturnType<typeof judged>>
  before(async () => {
    without = await judged('')
  })

  it('anything: it is safe and was seen', () => {
    const safe = { verdict: 'safe', recommendation: 'allow', confidence: 'high' }
    assert.deepEqual(without, [
      { age: 'forty days', ...safe, signals: ['newly_registered_domain', 'missing_csp'] },
      { age: 'unknown', ...safe, signals: ['missing_csp'] },
    ])
  })

  for (const { title, markup } of honestUses) {
    it(title, async () => {
      assert.deepEqual(await judged(markup), without)
    })
  }
})

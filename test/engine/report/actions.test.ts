// What the first screen tells a reader to do, for every recorded site and for made-up ones.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { type Decision, DO_NOT_OPEN, meaningOf, ownerFixes, readerActions } from '../../../src/engine/report/actions.ts'
import { gapOf } from '../../../src/engine/report/reasons.ts'
import type { SignalDetail } from '../../../src/engine/scoring/scored.ts'
import { presentations, registry, reportOf } from './shipped.ts'

const RESULTS = resolve(import.meta.dirname, '../../golden/results')
const sections = (reasons: Readonly<Record<string, string>>): Decision['coverage'] => ({
  complete: false,
  ratio: 0.5,
  sections: Object.fromEntries(
    Object.entries(reasons).map(([name, reason]) => [name, { status: 'unavailable', reason, duration_ms: 1 }]),
  ),
})
const whole: Decision['coverage'] = { complete: true, ratio: 1, sections: {} }

const groups = new Map(registry.analyzers.flatMap(({ signals }) => Object.entries(signals)))

const found = (...ids: readonly string[]): SignalDetail[] =>
  ids.map(id => {
    const { group = 'network', severity = 'medium', title = id } = groups.get(id) ?? {}
    return {
      id,
      section: 'x',
      group,
      severity,
      title,
      points: 1,
      floor: null,
      detail: null,
      evidence: {},
    } as SignalDetail
  })

const WAIT = 'Hold the sign-up, mail or payment until that is settled.'
const ASK = 'Ask who is behind it, by a phone number or address that you already have.'

describe('what to do before a target is accepted or opened', () => {
  const cases: readonly (readonly [
    title: string,
    signals: readonly string[],
    decided: Partial<Decision>,
    texts: readonly string[],
  ])[] = [
    [
      'says that an allowed target can be accepted',
      ['missing_hsts'],
      { recommendation: 'allow' },
      ['Accept or open it: nothing suspicious was found.'],
    ],
    [
      'says what to take care of at an allowed target, but repeats no warning about who is behind it',
      ['no_tls', 'lookalike_domain'],
      { recommendation: 'allow' },
      [
        'Accept or open it with the usual care: nothing serious was found.',
        'Do not enter anything confidential: others on the network can read it.',
      ],
    ],
    [
      'asks for another name where there is none',
      ['domain_not_found'],
      { coverage: sections({ a: 'domain_not_found', b: 'no_url' }) },
      [
        'Check the spelling. Do not trust mail or links that use a name that does not exist.',
        'Ask for the right name, by a phone number or address that you already have.',
        WAIT,
      ],
    ],
    [
      'says of a target that is allowed with less confidence that not everything was seen',
      [],
      { recommendation: 'allow', confidence: 'medium' },
      ['Accept or open it with the usual care: nothing serious was found, but not everything was seen.'],
    ],
    [
      'blocks phishing, and says what to do where it was too late',
      ['listed_as_malicious', 'impersonated_brand'],
      { recommendation: 'block', verdict: 'malicious', threat_types: ['phishing'] },
      [
        'Do not open it. Refuse mail, links and sign-ups that use it.',
        'If anyone entered a password or card details there, change the password and block the card now.',
        'Tell whoever sent it to you: their account may be abused.',
      ],
    ],
    [
      'settles a silent host by another look',
      [],
      { confidence: 'low', coverage: sections({ a: 'connect_timeout', b: 'connect_timeout' }) },
      ['Check it again in an hour: it did not answer properly.', WAIT, ASK],
    ],
    [
      'settles a site that refuses us by an isolated browser',
      [],
      { confidence: 'low', coverage: sections({ a: 'page_withheld', b: 'mail_timeout', c: 'page_withheld' }) },
      ['Open it in an isolated browser: the site shows its page only to people.', WAIT, ASK],
    ],
    [
      'settles what our own sources left open by waiting for them',
      [],
      { confidence: 'low', coverage: sections({ a: 'feeds_loading' }) },
      ['Check it again in a few minutes: this service had not loaded all its data.', WAIT, ASK],
    ],
    [
      'gives the strongest two warnings and what settles the review',
      ['expired_certificate', 'newly_registered_domain', 'no_tls'],
      {},
      [
        'Do not enter anything confidential.',
        'Ask for proof of who is behind it: most domains used for fraud are only days old.',
        'Check it again tomorrow, or ask its owner: such faults are often fixed quickly.',
      ],
    ],
    [
      'says once what not to enter, and that without a condition, and settles what is worse than the certificate',
      ['password_form_to_other_site', 'password_form_over_http', 'self_signed_certificate'],
      {},
      [
        'Do not enter a password: it would travel unencrypted.',
        'Open it only in an isolated browser, and enter nothing.',
        WAIT,
      ],
    ],
    [
      'says once what not to accept',
      ['listed_for_abuse'],
      {},
      [
        'Do not accept mail, links or sign-ups from it before you know what the list says.',
        'Find out what the list says about it, or check it again tomorrow: lists remove fixed sites.',
        ASK,
      ],
    ],
    [
      'says a warning of two signals once',
      ['impersonated_brand', 'lookalike_domain'],
      {},
      [
        'Do not enter a password. To use the brand’s own site, type its name yourself.',
        'Open it only in an isolated browser, and enter nothing.',
        WAIT,
      ],
    ],
    [
      'does not contradict a warning against opening it',
      ['listed_page', 'impersonated_brand'],
      { confidence: 'low', coverage: sections({ a: 'page_withheld' }) },
      [DO_NOT_OPEN, WAIT, ASK],
    ],
    [
      'asks for another address where mail does not arrive',
      [],
      { recommendation: 'allow', email: { deliverable: false } },
      ['Ask for another e-mail address: mail to this one cannot be delivered.'],
    ],
    [
      'asks for another address, and for what settles the review',
      ['newly_registered_domain'],
      { email: { deliverable: false } },
      [
        'Ask for another e-mail address: mail to this one cannot be delivered.',
        'Ask for proof of who is behind it: most domains used for fraud are only days old.',
        WAIT,
      ],
    ],
    ['asks who is behind a name that nothing else says how to settle', ['page_seen_in_part'], {}, [ASK, WAIT]],
    [
      'asks once who is behind it',
      ['lookalike_domain', 'suspicious_name'],
      {},
      [
        'Do not enter a password. To use the brand’s own site, type its name yourself.',
        'Find out who is behind it: the name resembles names of malicious sites.',
        WAIT,
      ],
    ],
  ]
  for (const [title, signals, decided, texts] of cases) {
    it(title, () => {
      const whole_decided: Decision = {
        recommendation: 'review',
        verdict: 'suspicious',
        confidence: 'high',
        threat_types: [],
        coverage: whole,
        ...decided,
      }
      assert.deepEqual(
        readerActions(found(...signals), whole_decided, presentations).map(({ text }) => text),
        texts,
      )
    })
  }

  for (const file of readdirSync(RESULTS)) {
    it(`names one to three distinct actions for ${file}, and one that settles every review`, () => {
      const { before, recommendation, meaning } = reportOf(JSON.parse(readFileSync(join(RESULTS, file), 'utf8')))
      const texts = before.map(({ text }) => text)
      assert.deepEqual(texts, [...new Set(texts)])
      assert.ok(texts.length >= 1 && texts.length <= 3, `${texts.length} actions`)
      assert.equal(texts.filter(text => / yours\b/.test(text)).length, 0)
      const settling = /Check it again|isolated browser|Find out|Ask|wait until/
      assert.equal(
        texts.some(text => settling.test(text)),
        recommendation === 'review',
      )
      assert.equal(meaning !== null, recommendation === 'review')
    })
  }
})

describe('what its owner can do', () => {
  it('is one change where one change fixes several signals, with the points of all of them', () => {
    const fixes = ownerFixes(found('clickjackable', 'missing_csp', 'missing_hsts'), presentations)
    assert.deepEqual(
      fixes.map(({ points, signals }) => [points, signals.map(({ signal }) => signal)]),
      [
        [2, ['clickjackable', 'missing_csp']],
        [1, ['missing_hsts']],
      ],
    )
  })

  it('is said without the condition that it is theirs, which its heading says', () => {
    const all = [...groups].flatMap(([, { advice = null }]) => (advice === null ? [] : [advice]))
    assert.ok(all.some(advice => / is yours\b/.test(advice)))
    const texts = ownerFixes(found(...groups.keys()), presentations).map(({ text }) => text)
    assert.deepEqual(
      texts.filter(text => /\byours\b|^[^\p{Lu}]/u.test(text)),
      [],
    )
    assert.ok(texts.includes('If it receives no mail, publish a null MX record (“0 .”).'))
    assert.ok(texts.includes('If you did not put the page there, it was broken into: remove the page.'))
  })

  it('is told for each signal where the other is not there', () => {
    const [fix] = ownerFixes(found('clickjackable'), presentations)
    assert.match(fix?.text ?? '', /frame-ancestors 'self'/)
    assert.deepEqual(fix?.signals.length, 1)
  })

  it('names only signals that exist as fixed by the same change', () => {
    const unknown = [...groups].flatMap(([, { also_fixes = [] }]) => also_fixes.filter(id => !groups.has(id)))
    assert.deepEqual(unknown, [])
  })
})

describe('the meaning of a review', () => {
  for (const [title, decided, signals, meaning] of [
    ['too little evidence', { verdict: 'safe', confidence: 'low' }, [], /score is low, but too little was seen/],
    ['a serious finding', { verdict: 'safe' }, ['expired_certificate'], /score is low, but one finding needs a person/],
    ['a source that was not read', { verdict: 'safe' }, [], /score is low, but a deciding source was not read/],
    ['a suspicious verdict', { verdict: 'suspicious' }, [], /neither low nor proven/],
  ] as const) {
    it(`reconciles the verdict with ${title}`, () => {
      const all: Decision = { recommendation: 'review', confidence: 'high', coverage: whole, ...decided }
      assert.match(meaningOf(found(...signals), all) ?? '', meaning)
    })
  }

  it('is said of no other recommendation', () => {
    const all: Decision = { recommendation: 'allow', verdict: 'safe', confidence: 'high', coverage: whole }
    assert.equal(meaningOf([], all), null)
  })
})

describe('what would show the unseen', () => {
  for (const [reason, gap] of [
    ['connect_timeout', 'silent'],
    ['mail_records_servfail', 'silent'],
    ['page_withheld', 'withheld'],
    ['script_not_run', 'drawn'],
    ['registration_rate_limited', 'ours'],
    ['not_visited', 'asked'],
    ['no_url', null],
    ['constructor', null],
  ] as const) {
    it(`is ${gap} for ${reason}`, () => assert.equal(gapOf(reason), gap))
  }
})

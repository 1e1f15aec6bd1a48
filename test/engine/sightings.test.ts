import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { GatherOutcome } from '../../src/engine/analysis.ts'
import type { Recording } from '../../src/engine/recording.ts'
import { confidence, gapSentence, gaps } from '../../src/engine/scoring/confidence.ts'
import { sightingsOf } from '../../src/engine/sightings.ts'
import type { Served } from '../../src/evidence/served/facts.ts'
import { readRecording } from '../golden/files.ts'

type Given = Recording['evidence']

const shop = readRecording('shop')
const machine = readRecording('ip_only')

const unavailable = (reason: string): GatherOutcome => ({ status: 'unavailable', reason })
const notApplicable = (reason: string): GatherOutcome => ({ status: 'not_applicable', reason })

/** The recorded value with some members replaced. */
function but(recording: Recording, name: string, parts: object): GatherOutcome {
  const gathered = recording.evidence[name]
  assert.ok(gathered?.status === 'gathered', name)
  return { status: 'gathered', value: { ...(gathered.value as object), ...parts } }
}

const listed = (...reasons: (string | null)[]): GatherOutcome => ({
  status: 'gathered',
  value: { lists: reasons.map(reason => ({ status: reason === null ? 'not_listed' : 'unknown', reason })) },
})

/** For a missing page: the outcome of all evidence that depends on it. */
const noPage = (page: GatherOutcome): Given => ({ page, served: page, document: page })
const unanswered = (failure: string): Given => ({
  page: but(shop, 'page', { exchanges: [], failure }),
  served: but(shop, 'served', { kind: 'none', url: null, status: null, chain: [], rule: null, failure }),
  document: notApplicable('no_response'),
})
const served = (kind: Served['kind']): Given => ({ served: but(shop, 'served', { kind, rule: 'a_rule' }) })
const cutOff = (truncated: string): Given => {
  const page = shop.evidence['page'] as Extract<GatherOutcome, { status: 'gathered' }>
  const { exchanges } = page.value as { exchanges: object[] }
  return { page: but(shop, 'page', { exchanges: exchanges.map(one => ({ ...one, truncated })) }) }
}

const wordless = (parts: object): GatherOutcome =>
  but(shop, 'document', { text: '', word_count: 3, look: undefined, drawn: undefined, ...parts })
/** Few words, and what else is drawn. */
const drawing = (drawn: object, look: object = {}): GatherOutcome => {
  const none = { inline: 0, own: 0, foreign: 0 }
  const nothing = { words: 0, fields: 0, buttons: 0, pictures: 0, scripts: none, frames: none }
  return wordless({ look: { shown_words: 0, frames: [], ...look }, drawn: { ...nothing, ...drawn } })
}
const leaves = [{ written: 'https://evil.example/', isCertain: true, seconds: 0 }]
const leaving = { written: { read: [], unread: [], destinations: [], leaves } }

const told = ({ target, evidence }: Recording, given: Given) => {
  const seen = sightingsOf({ target, evidence: new Map(Object.entries({ ...evidence, ...given })) })
  return [confidence(seen, []), ...gaps(seen).map(gapSentence)]
}

describe('the share of deciding evidence that was seen', () => {
  const cases: [title: string, given: Given, ...told: string[]][] = [
    ['is all of a site that answered', {}, 'high'],
    [
      'is no page where the connection timed out, and no certificate',
      { ...noPage(unavailable('connect_timeout')), tls: unavailable('connect_timeout') },
      'low',
      'The page could not be seen: the connection timed out.',
      'The certificate could not be seen: the connection timed out.',
    ],
    [
      'is all of a name without a web server, which refuses connections',
      { ...unanswered('refused'), tls: but(shop, 'tls', { status: 'refused', failure: 'refused' }) },
      'high',
    ],
    [
      'is no page where the server resets the connection, for others may see one',
      unanswered('reset'),
      'low',
      'The page could not be seen: the connection was reset.',
    ],
    [
      'is no page where it came too slowly',
      unanswered('timeout'),
      'low',
      'The page could not be seen: the answer did not come in time.',
    ],
    [
      'is no page where the site refuses us',
      served('block'),
      'low',
      'The page could not be seen: the site refuses automated visitors.',
    ],
    [
      'is no page behind a challenge',
      served('challenge'),
      'low',
      'The page could not be seen: the site asks visitors to prove that they are human.',
    ],
    [
      'is no page behind a log-in page',
      served('login_wall'),
      'low',
      'The page could not be seen: the site shows a login page instead.',
    ],
    ['is all of a parked name', served('parking'), 'high'],
    ['is all of an error page that shows much of the site', served('error'), 'high'],
    [
      'is half of an error page that shows little',
      { ...served('error'), document: wordless({}) },
      'medium',
      'The page was seen only in part: it is an error page.',
    ],
    [
      'is half of a page that is cut off at our limit',
      cutOff('too_large'),
      'medium',
      'The page was seen only in part: it exceeds the size limit.',
    ],
    [
      'is no page where the part before our limit shows nearly no words',
      { ...cutOff('too_large'), document: wordless({ truncated: true }) },
      'low',
      'The page could not be seen: it exceeds the size limit before it shows any text.',
    ],
    ['is all of a short page that is complete', { document: wordless({}) }, 'high'],
    [
      'is half of a page that sends visitors to another page, which was not seen',
      { document: wordless(leaving) },
      'medium',
      'The page was seen only in part: it sends visitors to a page that was not seen.',
    ],
    [
      'is half of the shell of an application',
      { document: drawing({ scripts: { inline: 0, own: 2, foreign: 0 } }) },
      'medium',
      'The page was seen only in part: it is written by a script that was not run.',
    ],
    [
      'is all of a page with words that has scripts too',
      { document: drawing({ words: 90 }, { shown_words: 90 }) },
      'high',
    ],
    [
      'is half of a page in a frame that was cut off',
      {
        page: but(shop, 'page', { handover: { by: 'frame', alone: true, at: 0, frame: [{ truncated: 'too_large' }] } }),
      },
      'medium',
      'The page was seen only in part: it exceeds the size limit.',
    ],
    [
      'is half of a page whose last redirect was not followed',
      { page: but(shop, 'page', { stopped: 'redirect_to_port', stopped_at: 'https://shop.lab:8443/' }) },
      'medium',
      'The page was seen only in part: a redirect was not followed.',
    ],
    [
      'is no page where our parser broke',
      { document: { status: 'failed', reason: 'gatherer_failed' } },
      'low',
      'The page could not be seen: a part of this service failed.',
    ],
    [
      'is no certificate where TLS fails',
      { tls: but(shop, 'tls', { status: 'failed', failure: 'not_tls' }) },
      'medium',
      'The certificate could not be seen: port 443 does not use TLS.',
    ],
    [
      'is all of a name that does not exist',
      {
        addresses: but(shop, 'addresses', { status: 'not_found', answers: [], dialable: [] }),
        ...noPage(notApplicable('domain_not_found')),
        tls: notApplicable('domain_not_found'),
      },
      'high',
    ],
    [
      'is all of a name that only points inside',
      { ...noPage(notApplicable('resolves_to_private_address')), tls: notApplicable('resolves_to_private_address') },
      'high',
    ],
    [
      'is little of a name whose servers fail',
      { addresses: unavailable('servfail'), ...noPage(unavailable('servfail')), tls: unavailable('servfail') },
      'low',
      'The page could not be seen: the name servers answered SERVFAIL.',
      'The addresses of the name could not be looked up: the name servers answered SERVFAIL.',
      'The certificate could not be seen: the name servers answered SERVFAIL.',
    ],
    ['does not count a registry that tells nobody', { registration: notApplicable('no_registry_service') }, 'high'],
    [
      'counts a registry that does not answer',
      { registration: unavailable('rdap_timeout') },
      'medium',
      'The registration of the domain could not be looked up: the answer did not come in time.',
    ],
    [
      'does not count lists that this installation does not have',
      { listings: unavailable('not_configured'), feeds: unavailable('not_configured') },
      'high',
    ],
    [
      'is no list where none answers',
      { listings: listed('timeout', 'public_resolver'), feeds: listed('not_loaded') },
      'medium',
      'No blocklist or threat feed answered.',
    ],
    [
      'is half of the lists where blocklists are silent and feeds are not',
      { listings: listed('timeout', 'timeout'), feeds: listed(null, null) },
      'medium',
      'Not all blocklists and threat feeds answered: the answer did not come in time.',
    ],
    [
      'is nearly all where one list of several is silent',
      { listings: listed(null, null, null, 'list_paused'), feeds: listed(null) },
      'high',
      'Not all blocklists and threat feeds answered: they are paused after failures.',
    ],
    [
      'says reasons that nobody put into words as they are',
      { registration: unavailable('whois_odd_answer') },
      'medium',
      'The registration of the domain could not be looked up: odd answer.',
    ],
    [
      'is nothing of evidence that a stranger’s gatherer answers in a shape of its own',
      { page: { status: 'gathered', value: 7 } },
      'low',
      'The page could not be seen: unreadable evidence.',
    ],
  ]
  for (const [title, given, ...expected] of cases) it(title, () => assert.deepEqual(told(shop, given), expected))

  it('does not include evidence that was not requested, as with disabled plugins', () => {
    const { target, evidence } = shop
    const seen = sightingsOf({ target, evidence: new Map([['addresses', evidence['addresses'] as GatherOutcome]]) })
    assert.deepEqual(
      seen.map(({ deciding, seen }) => [deciding.kind, seen]),
      [['dns', 1]],
    )
    assert.equal(confidence(sightingsOf({ target, evidence: new Map() }), []), 'low')
  })

  const pointing: Given = {
    page: but(shop, 'page', { stopped: 'too_many_redirects', stopped_at: 'https://shop.lab/7' }),
  }
  const undecoded: Given = {
    page: but(shop, 'page', { exchanges: [{ url: 'https://shop.lab/', truncated: 'bad_encoding', decoded_bytes: 0 }] }),
  }
  const sent = (type: string, decoded_bytes = 9): Given => ({
    page: but(shop, 'page', {
      exchanges: [{ url: 'https://shop.lab/', headers: [['content-type', type]], truncated: null, decoded_bytes }],
    }),
  })
  const ofLink: [title: string, recording: Recording, given: Given, ...told: string[]][] = [
    ['is all of a link whose page answered', shop, {}, 'high'],
    ['is all of a link to an address whose page answered', machine, {}, 'high'],
    [
      'is no page of a link whose last redirect was not followed, for visitors see where it leads',
      shop,
      pointing,
      'low',
      'The page could not be seen: a redirect was not followed.',
    ],
    [
      'is too little of a link to an address that refuses us, whatever the lists say',
      machine,
      { served: but(shop, 'served', { kind: 'block', rule: 'a_rule' }) },
      'low',
      'The page could not be seen: the site refuses automated visitors.',
    ],
    [
      'is no page of a link whose page only hands visitors over to another site',
      shop,
      { document: wordless(leaving) },
      'low',
      'The page could not be seen: it only hands visitors over to evil.example.',
    ],
    [
      'is no page of a link that is cut off before it shows anything',
      shop,
      { document: wordless({ truncated: true }) },
      'low',
      'The page could not be seen: it exceeds the size limit before it shows any text.',
    ],
    [
      'is no page where nothing could be decoded',
      shop,
      undecoded,
      'low',
      'The page could not be seen: its content coding is invalid.',
    ],
  ]
  for (const type of ['application/octet-stream', 'application/zip', 'application/pdf']) {
    ofLink.push([
      `is no page of a link to a file of ${type}`,
      shop,
      sent(type),
      'low',
      'The page could not be seen: the link leads to a file, whose content is not checked.',
    ])
  }
  for (const type of ['image/svg+xml', 'text/xml', 'text/plain', 'image/png', 'application/json'])
    ofLink.push([`is all of a link to ${type}`, shop, sent(type), 'high'])
  ofLink.push(['is all of a link to an empty file', shop, sent('application/zip', 0), 'high'])

  it('is all of a name whose front page is a file, because nobody was sent a link to it', () => {
    assert.deepEqual(told(shop, sent('application/zip')), ['high'])
  })

  for (const [title, { target, evidence }, given, ...expected] of ofLink) {
    it(title, () => {
      const host = target.domain ?? target.ip
      const url = { href: `https://${host}/a`, scheme: 'https', port: 443, path: '/a', query: null } as const
      assert.deepEqual(told({ target: { ...target, url }, evidence } as Recording, given), expected)
    })
  }

  it('is too little of an address that was not to be visited', () => {
    const unvisited = notApplicable('not_visited')
    const { target, evidence } = machine
    const asked = { target: { ...target, visit: false }, evidence } as Recording
    assert.equal(told(asked, { ...noPage(unvisited), tls: unvisited })[0], 'low')
  })

  it('is enough for an address with silent ports, and too little when no list answers', () => {
    const silent = { ...noPage(unavailable('connect_timeout')), tls: unavailable('connect_timeout') }
    assert.equal(told(machine, silent)[0], 'medium')
    const [sure, gap] = told(machine, { listings: listed('timeout'), feeds: listed('not_loaded') })
    assert.deepEqual([sure, gap], ['low', 'No blocklist or threat feed answered.'])
  })
})

// A phishing page whose name claims to be its victim's by everything that it can write itself, judged as a whole.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Addresses } from '../../../src/evidence/addresses/facts.ts'
import type { Dns } from '../../../src/evidence/dns/facts.ts'
import type { Location } from '../../../src/evidence/location/facts.ts'
import type { Registration } from '../../../src/evidence/registration/facts.ts'
import type { Tls } from '../../../src/evidence/tls/facts.ts'
import { judge } from '../scoring/evidence_engine.ts'
import { NOW, seen, targetOf } from '../scoring/scenarios/seen.ts'
import type { Situation } from '../scoring/scenarios/situation.ts'

const NAME = 'quillbarrow.com'

const page = (beside = '', head = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>PayPal</title>${head}</head><body><h1>Log in to PayPal</h1><form action="/login" method="post"><input name="email" placeholder="E-mail"><input type="password" name="password" placeholder="Password"><button>Log in</button></form>${beside}</body></html>`

interface Seen {
  readonly tls: Tls
  readonly addresses: Addresses
  readonly location: Location
  readonly registration: Registration
  readonly dns: Dns
}

interface Claim {
  readonly html?: string
  readonly change?: (seen: Seen) => Partial<Seen>
}

async function judged({ html = page(), change = () => ({}) }: Claim) {
  const situation: Situation = {
    of: 'a claim',
    domain: NAME,
    age_days: 3,
    certificate: 'new',
    page: { html },
    verdict: 'malicious',
    signals: [],
  }
  const target = targetOf(situation)
  const gathered = await seen(situation, target)
  const given = Object.fromEntries(
    Object.entries(gathered).flatMap(([name, one]) => (one.status === 'gathered' ? [[name, one.value]] : [])),
  ) as unknown as Seen
  const changed = Object.entries(change(given)).map(([name, value]) => [name, { status: 'gathered', value }] as const)
  return judge(target, { ...gathered, ...Object.fromEntries(changed) }, NOW)
}

const named = (tls: Tls, ...dns_names: readonly string[]): Tls => {
  const [leaf, ...issuers] = tls.chain
  assert.ok(leaf, 'a chain')
  return { ...tls, public_root: true, chain: [{ ...leaf, dns_names }, ...issuers] }
}
const networks = (seen: Seen, ...asns: readonly (number | null)[]): Location => ({
  ...seen.location,
  networks: seen.addresses.answers.map(({ address }, at) => ({ address, asn: asns[at % asns.length] ?? null })),
})

const claims: Readonly<Record<string, Claim>> = {
  'a certificate of a CDN that the brand’s name is on too': {
    change: ({ tls }) => ({ tls: named(tls, NAME, 'www.paypal.com', 'stranger.org') }),
  },
  'a certificate that it signed itself, for the brand’s names': {
    change: ({ tls }) => ({
      tls: { ...named(tls, NAME, 'paypal.com'), anchored: false, verify_error: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    }),
  },
  'the certificate of the brand, for another name': {
    change: ({ tls }) => ({ tls: named(tls, 'paypal.com', 'www.paypal.com') }),
  },
  'one address in the brand’s network beside its own': {
    change: ({ addresses, location, ...seen }) => {
      const [own] = addresses.answers
      assert.ok(own, 'an address')
      const both = { ...addresses, answers: [own, { ...own, address: '173.0.80.1' }] }
      const location_ = networks({ addresses: both, location, ...seen }, 64_500, 17_012)
      return { addresses: both, location: location_ }
    },
  },
  'an address in a cloud that the brand rents': { change: seen => ({ location: networks(seen, 16_509) }) },
  'the brand’s name servers in its own zone': {
    change: ({ dns }) => ({
      dns: { ...dns, ns: { ...dns.ns, status: 'found', records: ['ns1.paypal.com', 'ns2.paypal.com'] } as Dns['ns'] },
    }),
  },
  'one of the brand’s name servers at the registry beside its own': {
    change: ({ registration }) => ({
      registration: { ...registration, name_servers: ['ns1.paypal.com', 'ns1.quillbarrow.com'] },
    }),
  },
  'a registrar that only serves companies': {
    change: ({ registration }) => ({ registration: { ...registration, registrar: 'MarkMonitor Inc.' } }),
  },
  'the links, files and canonical address of the brand': {
    html: page(
      '<a href="https://www.paypal.com/help">Help</a><img src="https://www.paypalobjects.com/logo.svg" alt="PayPal"><p>© PayPal</p>',
      '<link rel="canonical" href="https://www.paypal.com/signin"><link rel="icon" href="https://www.paypal.com/favicon.ico">',
    ),
  },
}

describe('a phishing page on a new name gains nothing', () => {
  for (const [claim, change] of Object.entries(claims)) {
    it(`by ${claim}`, async () => {
      const { verdict, details } = await judged(change)
      const ids = details.map(({ id }) => id)
      assert.equal(verdict, 'malicious', ids.join(', '))
      assert.ok(ids.includes('impersonated_brand') && !ids.includes('owned_by_brand'), ids.join(', '))
    })
  }
})

describe('a page of the brand on a new name of its own is not accused', () => {
  const proofs: Readonly<Record<string, Claim['change'] & object>> = {
    certificate: ({ tls }) => ({ tls: named(tls, NAME, `www.${NAME}`, 'paypal.com', 'www.paypal.com') }),
    networks: seen => ({ location: networks(seen, 17_012) }),
    name_servers: ({ registration }) => ({
      registration: { ...registration, name_servers: ['ns1.paypal.com', 'ns2.paypal.com'] },
    }),
  }
  for (const [proof, change] of Object.entries(proofs)) {
    it(`where its ${proof.replace('_', ' ')} prove it`, async () => {
      const { verdict, details } = await judged({ change })
      const owned = details.find(({ id }) => id === 'owned_by_brand')
      assert.equal(verdict, 'safe', details.map(({ id, points }) => `${id} ${points}`).join(', '))
      assert.deepEqual([owned?.evidence?.['brand'], owned?.evidence?.['proof']], ['PayPal', proof])
      assert.equal(
        details.some(({ id }) => id === 'impersonated_brand'),
        false,
      )
    })
  }
})

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Blame, blameOf, mainReason, missedReason } from '../../src/evidence/facts.ts'

const ROOT = join(import.meta.dirname, '../..')

describe('whose fault a reason is', () => {
  const cases: readonly (readonly [reason: string, blame: Blame])[] = [
    ['page_withheld', 'target'],
    ['too_many_queries', 'target'],
    ['dns_too_many_queries', 'target'],
    ['list_paused', 'source'],
    ['some_lists_silent', 'source'],
    ['rdap_429', 'source'],
    ['registration_rdap_503', 'source'],
    ['status_502', 'source'],
    ['whois_limited', 'source'],
    ['some_lists_unanswered', 'ours'],
    ['feeds_loading', 'ours'],
    ['threw', 'ours'],
    ['plugin_timeout', 'ours'],
    ['gatherer_failed', 'ours'],
    ['missing_gatherer_failed', 'ours'],
    ['timeout', 'depends'],
    ['connect_timeout', 'depends'],
    ['resolver_timeout', 'depends'],
    ['mail_records_servfail', 'depends'],
    ['robots_txt_dns_malformed', 'depends'],
    ['whois_host_not_found', 'depends'],
    ['no_list_answered', 'depends'],
    ['not_configured', 'nobody'],
    ['location_not_configured', 'nobody'],
    ['name_too_long', 'nobody'],
    ['a_reason_of_a_strangers_plugin', 'ours'],
    ['constructor', 'ours'],
    ['', 'ours'],
  ]
  for (const [reason, blame] of cases) {
    it(`${reason || '(empty)'}: ${blame}`, () => assert.equal(blameOf(reason), blame))
  }

  it('does not depend on the name of the evidence in front', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('timeout', 'servfail', 'page_withheld', 'list_paused', 'not_configured', '429'),
        fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 4 }),
        (reason, words) => assert.equal(blameOf([...words.map(word => `x${word}`), reason].join('_')), blameOf(reason)),
      ),
    )
  })

  it('is in the table for every reason in gatherers and analyzers', () => {
    const files = ['src/evidence', 'src/engine/isolation', 'plugins'].flatMap(folder =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter(name => name.endsWith('.ts'))
        .map(name => readFileSync(join(ROOT, folder, name), 'utf8')),
    )
    const spelt = files.flatMap(text =>
      [...text.matchAll(/(?:new Unavailable\(|\bunavailable: |\bunknown: )'([a-z_]+)'/g)].map(
        ([, reason]) => reason ?? '',
      ),
    )
    assert.ok(spelt.length > 5, `${spelt.length}`)
    const ours = spelt.filter(reason => blameOf(reason) === 'ours')
    assert.deepEqual([...new Set(ours)].sort(), [
      'browser_failed',
      'browser_timeout',
      'cancelled',
      'damaged_geo_data',
      'page_crashed',
    ])
  })
})

describe('among several reasons', () => {
  it('the one that the next check may resolve comes first', () => {
    assert.equal(mainReason(['page_withheld', 'list_paused', 'timeout']), 'timeout')
    assert.equal(mainReason(['page_withheld', 'list_paused']), 'page_withheld')
    assert.equal(mainReason(['script_not_run', 'page_withheld']), 'page_withheld')
    assert.equal(mainReason(['script_not_run', 'timeout']), 'timeout')
    assert.equal(mainReason(['script_not_run']), 'script_not_run')
    assert.equal(mainReason([]), null)
  })

  it('inapplicable and unconfigured evidence does not count as missing', () => {
    const at = (status: string, reason: string) => ({ status, reason })
    const missing = { a: at('not_applicable', 'ip_target'), b: at('unavailable', 'not_configured') }
    assert.equal(missedReason(missing), null)
    const paused = at('unavailable', 'rdap_paused')
    assert.equal(missedReason({ ...missing, c: paused }), 'c_rdap_paused')
    assert.equal(missedReason({ ...missing, c: paused, d: at('failed', 'gatherer_failed') }), 'd_gatherer_failed')
  })
})

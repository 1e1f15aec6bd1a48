import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type ListKind, readEntry, readListFile } from '../../src/evidence/operator_lists/entries.ts'
import { createOperatorLists } from '../../src/evidence/operator_lists/lookup.ts'
import { parseTarget, unvetted } from '../../src/targets/target.ts'

const NOW = Date.parse('2026-11-24T12:00:00Z')

function targetOf(asked: string) {
  const isAddress = /^[\d.]+$|:/.test(asked)
  const parsed = parseTarget(isAddress ? { domain: null, ip: asked } : { domain: asked, ip: null }, unvetted)
  assert.ok(parsed.ok)
  return parsed.target
}

function listsOf(text: string) {
  const entries = text.split('\n').map(line => {
    const [list, ...rest] = line.trim().split(' ')
    const { entries, faults } = readListFile(list as ListKind, rest.join(' '))
    assert.deepEqual(faults, [])
    return entries
  })
  return createOperatorLists(entries.flat())
}

describe('the lists of the operator', () => {
  const found: readonly [title: string, lists: string, target: string, addresses: readonly string[], entry: string][] =
    [
      ['a name on a list', 'block evil.com', 'evil.com', [], 'block evil.com'],
      ['a name below one', 'allow example.com', 'a.b.example.com', [], 'allow example.com'],
      ['no name that only ends alike', 'block evil.com', 'notevil.com', [], 'none'],
      [
        'the longer name before the shorter',
        'block example.com\nallow ok.example.com',
        'x.ok.example.com',
        [],
        'allow ok.example.com',
      ],
      [
        'the block list where both have a name',
        'allow example.com\nblock example.com',
        'example.com',
        [],
        'block example.com',
      ],
      [
        'an international name however it is written',
        'block bücher.example.org',
        'xn--bcher-kva.example.org',
        [],
        'block bücher.example.org',
      ],
      ['tenants of a blocked platform', 'block github.io', 'somebody.github.io', [], 'block github.io'],
      [
        'tenants of a blocked platform that is no public suffix',
        'block weebly.com',
        'somebody.weebly.com',
        [],
        'block weebly.com',
      ],
      ['no tenants of an allowed platform', 'allow weebly.com', 'somebody.weebly.com', [], 'none'],
      ['an allowed platform itself', 'allow weebly.com', 'weebly.com', [], 'allow weebly.com'],
      ['an allowed tenant', 'allow ours.github.io', 'www.ours.github.io', [], 'allow ours.github.io'],
      ['names under a blocked top-level domain', 'block zip', 'invoice.zip', [], 'block zip'],
      ['an address', 'block 203.0.113.9', '203.0.113.9', [], 'block 203.0.113.9'],
      ['an address in a block', 'allow 2001:db8::/32', '2001:db8::1', [], 'allow 2001:db8::/32'],
      [
        'the narrower block before the wider',
        'block 198.51.100.0/24\nallow 198.51.100.7',
        '198.51.100.7',
        [],
        'allow 198.51.100.7',
      ],
      [
        'a domain at a blocked address',
        'block 198.51.100.0/24',
        'example.com',
        ['203.0.113.1', '198.51.100.1'],
        'block 198.51.100.0/24',
      ],
      ['no domain at an allowed address', 'allow 198.51.100.0/24', 'example.com', ['198.51.100.1'], 'none'],
      [
        'the name before its addresses',
        'allow example.com\nblock 198.51.100.0/24',
        'example.com',
        ['198.51.100.1'],
        'allow example.com',
      ],
      ['an entry until its last day has passed', 'block evil.com until=2026-11-24', 'evil.com', [], 'block evil.com'],
      ['no entry that has expired', 'block evil.com until=2026-11-23', 'evil.com', [], 'none'],
      ['no entry from its time of expiry on', 'block evil.com until=2026-11-24T12:00:00Z', 'evil.com', [], 'none'],
      [
        'the shorter name once the longer has expired',
        'block example.com\nallow ok.example.com until=2026-01-01',
        'ok.example.com',
        [],
        'block example.com',
      ],
    ]
  for (const [title, lists, target, addresses, expected] of found) {
    it(`find ${title}`, () => {
      const entry = listsOf(lists).find(targetOf(target), addresses, NOW)
      assert.equal(entry === null ? 'none' : `${entry.list} ${entry.entry}`, expected)
    })
  }

  it('need the addresses of a domain only if addresses are blocked', () => {
    assert.equal(listsOf('allow 198.51.100.0/24\nblock evil.com').asksAddresses, false)
    assert.equal(listsOf('block 198.51.100.0/24').asksAddresses, true)
  })

  it('are read from a file with reasons, expiry, comments and a byte order mark', () => {
    const { entries, faults } = readListFile(
      'block',
      '\uFEFF# ours\n\nevil.com until=2027-01-31 # seen on 3 May # twice\r\n10.1.0.0/16\n',
    )
    assert.deepEqual(faults, [])
    assert.deepEqual(
      entries.map(({ entry, reason, expires_at }) => [entry, reason, expires_at]),
      [
        ['evil.com', 'seen on 3 May # twice', Date.parse('2027-02-01T00:00:00Z')],
        ['10.1.0.0/16', null, null],
      ],
    )
  })

  const faults: readonly [list: ListKind, line: string, detail: RegExp][] = [
    ['block', 'https://evil.com/', /enter only the name/],
    ['block', '*.evil.com', /wildcard/],
    ['block', '10.0.0.0/33', /not a block of addresses in CIDR notation/],
    ['block', 'evil.com phishing', /write the reason after `#`/],
    ['block', 'evil.com until=2027-02-30', /neither a date/],
    ['block', 'evil.com until=soon', /neither a date/],
    ['allow', 'co.uk', /public suffix/],
    ['allow', 'com', /public suffix/],
    ['allow', 'github.io', /public suffix/],
  ]
  for (const [list, line, detail] of faults) {
    it(`reject \`${line}\` on the ${list} list, with its line`, () => {
      const read = readListFile(list, `example.com\n${line}`)
      assert.deepEqual(
        read.faults.map(({ line }) => line),
        [2],
      )
      assert.match(read.faults[0]?.detail ?? '', detail)
    })
  }

  it('accept any file: each line that is not skipped is an entry or an error', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 40 })), lines => {
        const text = lines.map(line => line.replace(/[\r\n]/g, '')).join('\n')
        const { entries, faults } = readListFile('block', text)
        const written = text
          .replace(/^\uFEFF/, '')
          .split('\n')
          .filter(line => !/^\s*(?:#|$)/.test(line))
        assert.equal(entries.length + faults.length, written.length)
      }),
    )
  })

  it('cut a reason that is too long', () => {
    const read = readEntry('allow', { entry: 'example.com', reason: 'x'.repeat(300) })
    assert.equal(read.ok && read.entry.reason?.length, 200)
  })
})

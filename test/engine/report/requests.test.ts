import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { requestsBlock } from '../../../src/cli/report/requests.ts'
import { readResult } from '../../golden/files.ts'
import { reportOf } from './shipped.ts'

const requests = [
  {
    url: 'http://shop.example/',
    status: 301,
    purpose: 'plain_http',
    started_ms: 10,
    connect_ms: 20,
    tls_ms: null,
    queued_ms: 0,
    wait_ms: 30,
    receive_ms: 0,
  },
  {
    url: 'https://shop.example/',
    status: 200,
    purpose: 'page',
    started_ms: 60,
    connect_ms: 20,
    tls_ms: 40,
    queued_ms: 20,
    wait_ms: 50,
    receive_ms: 50,
  },
]
const report = (given: unknown) => reportOf({ ...readResult('shop'), requests: given })

describe('the requests of a report', () => {
  it('name the phases that a request had', () => {
    const phases = report(requests).requests.map(one =>
      one.phases.map(({ phase, milliseconds }) => [phase, milliseconds]),
    )
    assert.deepEqual(phases, [
      [
        ['connect', 20],
        ['wait', 30],
        ['body', 0],
      ],
      [
        ['connect', 20],
        ['TLS', 40],
        ['queue', 20],
        ['wait', 50],
        ['body', 50],
      ],
    ])
  })

  it('are one line each on a terminal, with their purpose, on a common time line', () => {
    const display = { width: 80, paint: (_: string, text: string) => text }
    assert.deepEqual(requestsBlock(report(requests), display).split('\n'), [
      'Requests to the site: ░ connect, ▒ TLS, · queue, ▓ wait, █ body',
      '  301  plain HTTP  http://shop.example/    50 ms   ░▓▓',
      '  200  page        https://shop.example/  180 ms      ░▒▒▒·▓▓▓▓███',
    ])
    assert.deepEqual(requestsBlock(report(requests), { ...display, width: 60 }).split('\n'), [
      'Requests to the site',
      '  301  plain HTTP  http://shop.example/    50 ms',
      '  200  page        https://shop.example/  180 ms',
    ])
    const earlier = report(requests.map(({ purpose: _, ...request }) => request))
    assert.equal(
      requestsBlock(earlier, { ...display, width: 60 }).split('\n')[1],
      '  301  http://shop.example/    50 ms',
      'an earlier version kept no purpose',
    )
  })

  for (const [title, given] of [
    ['the times are not known', null],
    ['an earlier version made the result', undefined],
  ] as const) {
    it(`are left out if ${title}`, () => {
      assert.deepEqual(report(given).requests, [])
      assert.equal(requestsBlock(report(given), { width: 80, paint: (_, text) => text }), '')
    })
  }
})

// The list of Certificate Transparency logs, as Chrome's publishers write it and as others may.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseCtLogs } from '../../../src/knowledge/datasets/ct_logs.ts'

const idOf = (octet: number) => Buffer.alloc(32, octet).toString('base64')
const log = (changes: object = {}) => ({
  description: "Google 'Argon2026h1' log",
  log_id: idOf(1),
  key: 'MFkw',
  url: 'https://ct.googleapis.com/logs/us1/argon2026h1/',
  mmd: 86_400,
  state: { usable: { timestamp: '2024-10-01T00:00:00Z' } },
  ...changes,
})
const operator = (parts: object) => ({ name: 'Google', email: ['ct@google.example'], ...parts })
const list = (...operators: readonly unknown[]) =>
  JSON.stringify({ version: '81.1', log_list_timestamp: '2026-11-01T00:00:00Z', operators })

describe('a list of CT logs', () => {
  const argon = { name: "Google 'Argon2026h1' log", operator: 'Google', state: 'usable' }
  type Row = readonly [what: string, text: string, logs: Readonly<Record<string, object>> | null]
  const one = { [idOf(1)]: argon }
  const rows: readonly Row[] = [
    ['with a log', list(operator({ logs: [log()], tiled_logs: [] })), one],
    ['with a log of the static interface', list(operator({ logs: [], tiled_logs: [log()] })), one],
    ['of the older form, without those', list(operator({ logs: [log()] })), one],
    [
      'of several operators',
      list(operator({ logs: [log()] }), { name: 'Sectigo', logs: [log({ log_id: idOf(2), description: 'Sabre' })] }),
      { ...one, [idOf(2)]: { name: 'Sabre', operator: 'Sectigo', state: 'usable' } },
    ],
    [
      'with a retired log',
      list(operator({ logs: [log({ state: { retired: {} } })] })),
      { [idOf(1)]: { ...argon, state: 'retired' } },
    ],
    [
      'with a log without a state',
      list(operator({ logs: [log({ state: undefined })] })),
      { [idOf(1)]: { ...argon, state: null } },
    ],
    [
      'with a state that is no word',
      list(operator({ logs: [log({ state: { '<b>': 1 } })] })),
      { [idOf(1)]: { ...argon, state: null } },
    ],
    ['with a log whose ID is cut', list(operator({ logs: [log({ log_id: 'abc=' }), log()] })), one],
    ['with a log without a name', list(operator({ logs: [log({ log_id: idOf(2), description: null }), log()] })), one],
    ['with an operator without a name', list({ logs: [log({ log_id: idOf(2) })] }, operator({ logs: [log()] })), one],
    ['with something else among the operators', list(null, 7, 'x', operator({ logs: [null, [], log()] })), one],
    [
      'with a name that cannot be printed',
      list(operator({ logs: [log({ description: 'a\u202eb\n' })] })),
      { [idOf(1)]: { ...argon, name: 'ab' } },
    ],
    ['without a log', list(operator({ logs: [] })), null],
    ['without operators', JSON.stringify({ version: '1' }), null],
    ['that is another list', JSON.stringify({ services: [[['com'], ['https://rdap.example/']]] }), null],
    ['that is a page', '<!doctype html><title>404</title>', null],
    ['that is empty', '', null],
  ]
  for (const [what, text, logs] of rows)
    it(`${what} has ${logs === null ? 'none' : Object.keys(logs).length}`, () => {
      const parsed = parseCtLogs(text)
      assert.deepEqual(parsed && Object.fromEntries(parsed), logs)
    })
})

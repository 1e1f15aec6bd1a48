import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hasHashTag, placesOf, readRedisUrl } from '../../src/store/redis_place.ts'

describe('the URL of a Redis', () => {
  const plain = { is_encrypted: false, username: '', password: '', primary: null, database: 0 }
  const rows: readonly (readonly [url: string, read: object | null])[] = [
    ['redis://host', { ...plain, nodes: [{ host: 'host', port: 6379 }] }],
    ['redis://[::1]:7000/3', { ...plain, nodes: [{ host: '::1', port: 7000 }], database: 3 }],
    [
      'rediss://user:p%40ss:word@host:6380/15',
      {
        ...{ is_encrypted: true, username: 'user', password: 'p@ss:word', primary: null, database: 15 },
        nodes: [{ host: 'host', port: 6380 }],
      },
    ],
    ['redis://:secret@host', { ...plain, password: 'secret', nodes: [{ host: 'host', port: 6379 }] }],
    [
      'redis://one:7000,two',
      {
        ...plain,
        nodes: [
          { host: 'one', port: 7000 },
          { host: 'two', port: 6379 },
        ],
      },
    ],
    [
      'rediss+sentinel://:secret@one,[::1]:26380/my-primary.1/2',
      {
        ...{ is_encrypted: true, username: '', password: 'secret', primary: 'my-primary.1', database: 2 },
        nodes: [
          { host: 'one', port: 26_379 },
          { host: '::1', port: 26_380 },
        ],
      },
    ],
    ['redis+sentinel://one:26379', null],
    ['redis+sentinel://one:26379/a b', null],
    ['redis+sentinel://one:26379/name/0/1', null],
    ['redis://one,', null],
    ['redis://one,two:99999', null],
    ['redis://host/name', null],
    ['redis://user:%zz@host', null],
    ['http://host', null],
  ]
  for (const [url, read] of rows) {
    it(`${url} ${read === null ? 'is none' : 'is read'}`, () => assert.deepEqual(readRedisUrl(url), read))
  }

  it('is shown to people without its password', () => {
    const address = readRedisUrl('redis://:secret@one,[::1]:7000')
    assert.equal(address && placesOf(address), 'one:6379, [::1]:7000')
  })
})

describe('the hash tag of a prefix', () => {
  for (const [prefix, has] of [
    ['{assay}', true],
    ['shop:{a}', true],
    ['assay', false],
    ['{}', false],
    ['{assay', false],
    ['a}b{', false],
  ] as const) {
    it(`is ${has ? 'there' : 'missing'} in ${prefix}`, () => assert.equal(hasHashTag(prefix), has))
  }
})

// What is cached for queries, and what must be asked again.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTargetReader } from '../../../src/service/api/target_reader.ts'
import { createUrlSecret } from '../../../src/store/result_cache.ts'
import { unvetted } from '../../../src/targets/target.ts'

describe('a target reader', () => {
  it('gives spellings of one target one name, and different targets different names', () => {
    const { read } = createTargetReader(unvetted, 'p')
    const names = (queries: readonly string[]) => new Set(queries.map(query => read(query).name))
    assert.equal(names(['domain=example.com', 'domain=EXAMPLE.com.', 'x=1&domain=ex%61mple.com']).size, 1)
    const different = ['domain=example.com', 'domain=example.com&ip=8.8.8.8', 'ip=8.8.8.8', 'domain=example.net']
    assert.equal(names(different).size, different.length)
    assert.notEqual(createTargetReader(unvetted, 'q').read('domain=example.com').name, read('domain=example.com').name)
  })

  it('caches names and asks the guard about an address every time', () => {
    let refused: string | null = null
    const { read } = createTargetReader({ ...unvetted, refuse: () => refused }, 'p')
    const [named, addressed] = ['domain=example.com', 'domain=example.com&ip=8.8.8.8']
    assert.equal(read(named), read(named))
    assert.equal(read(addressed).label, 'example.com 8.8.8.8')
    refused = 'own_address'
    assert.equal(read(named).label, 'example.com')
    assert.throws(() => read(addressed), { name: 'Problem', code: 'target-not-public', status: 422 })
  })

  it('names a URL by a keyed hash and, for the log, by its origin', () => {
    const secret = createUrlSecret()
    const { read } = createTargetReader(unvetted, 'p', () => secret)
    const link = 'url=https%3A%2F%2Fa.com%3A8443%2Fpath%3Ftoken%3Dhidden'
    const { name, label } = read(link)
    assert.equal(label, 'https://a.com:8443/…')
    assert.doesNotMatch(name, /path|token|hidden|a\.com/)
    assert.equal(read(`${link}%23fragment`).name, name)
    assert.equal(createTargetReader(unvetted, 'p', () => secret).read(link).name, name)
    const others = [
      createTargetReader(unvetted, 'p', createUrlSecret).read(link),
      createTargetReader(unvetted, 'q', () => secret).read(link),
      read(`${link}&visit=false`),
      read(`${link}s`),
      read('domain=a.com'),
      read('domain=a.com&visit=false'),
    ].map(other => other.name)
    assert.equal(new Set([name, ...others]).size, 7)
  })

  it('keeps no URL', () => {
    const { read } = createTargetReader(unvetted, 'p')
    assert.notEqual(read('url=https://a.com/'), read('url=https://a.com/'))
  })

  it('rejects an invalid query every time', () => {
    const { read } = createTargetReader(unvetted, 'p')
    for (const _ of [1, 2]) {
      assert.throws(() => read('domain='), { code: 'invalid-parameter' })
      assert.throws(() => read('domain=com'), { code: 'target-not-checkable' })
    }
  })
})

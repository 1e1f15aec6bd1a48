import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { runPlugin, startLabInternet } from 'assay/testing'
import plugins from './index.js'

describe('my_section', () => {
  it('names the owner, which lowers the score', async () => {
    const { section, signals } = await runPlugin(plugins, { evidence: { my_section: { owner: 'Shops Ltd' } } })
    assert.deepEqual(section, { owner: 'Shops Ltd' })
    assert.deepEqual(signals, [{ id: 'my_section_own', points: -10, detail: 'It belongs to Shops Ltd.' }])
  })

  it('is unavailable until the endpoint is configured', async () => {
    const { status, reason } = await runPlugin(plugins)
    assert.deepEqual([status, reason], ['unavailable', 'not_configured'])
  })
})

describe('the source of my_section', () => {
  let internet
  before(async () => {
    internet = await startLabInternet([
      {
        name: 'directory.example.com',
        addresses: ['93.184.216.40'],
        https: ({ url, headers }) => {
          if (headers.authorization !== 'Bearer K3Y') return { status: 401 }
          return url === '/owner/example.com' ? { body: '{"owner":"Shops Ltd"}' } : { status: 404 }
        },
      },
    ])
  })
  after(() => internet.close())

  const ask = (target, key = 'K3Y') => {
    const options = { endpoint: 'https://directory.example.com/owner/', key }
    return runPlugin(plugins, { target, internet, plugins: { my_section_source: { options } } })
  }

  it('asks the directory', async () => {
    assert.deepEqual((await ask('example.com')).section, { owner: 'Shops Ltd' })
  })

  it('accepts a 404 as an answer', async () => assert.deepEqual((await ask('example.net')).section, { owner: null }))

  it('reports a rejected key', async () => {
    const { status, reason } = await ask('example.com', 'wrong')
    assert.deepEqual([status, reason], ['unavailable', 'key_refused'])
  })
})

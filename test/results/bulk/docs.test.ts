import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { before, describe, it } from 'node:test'
import { assay } from '../../cli/assay.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/bulk.md'), 'utf8')

/** Options of Node.js. */
const FOREIGN = ['--max-old-space-size', '--help']

describe('docs/bulk.md', () => {
  let help: string
  before(async () => {
    const pages = await Promise.all(['check', 'worker', 'diff'].map(command => assay(command, '--help')))
    help = pages.map(({ out }) => out).join('')
  })
  const named = (text: string) => [
    ...new Set([...text.matchAll(/(?<![\w-])--[a-z]+(?:-[a-z]+)*/g)].map(([name]) => name)),
  ]

  it('names only existing options', () => {
    assert.deepEqual(
      named(page).filter(name => !named(help).includes(name) && !FOREIGN.includes(name)),
      [],
    )
  })

  it('documents every option for lists of names', () => {
    const many = named(help.slice(help.indexOf('Many targets:'), help.indexOf('Examples:')))
    assert.deepEqual(
      many.filter(name => !named(page).includes(name) && name !== '--queue'),
      [],
    )
    assert.ok(many.length >= 9)
  })

  it('states the correct defaults', () => {
    const defaults = [...page.matchAll(/`(--[a-z-]+)`\s+\((\d+)[;)]/g)]
    assert.ok(defaults.length >= 4)
    for (const [, option = '', value] of defaults) {
      const [, documented] = new RegExp(`${option} <[a-z]+>[^(]*\\(default: (\\d+)\\)`).exec(help) ?? []
      assert.equal(documented, value, option)
    }
  })
})

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { packageRoot } from '../../src/base/package_root.ts'

const read = (file: string) => readFileSync(join(packageRoot, file), 'utf8')

it('a benchmark that the documentation names exists', () => {
  const [, table = ''] = /const parts[^{]*\{\n([^}]*)\}/.exec(read('lab/bench/main.ts')) ?? []
  const parts = new Set(table.match(/\w+/g))
  assert.ok(parts.has('hit'))
  const pages = readdirSync(join(packageRoot, 'docs')).filter(name => name.endsWith('.md'))
  const named = pages.flatMap(page =>
    [...read(join('docs', page)).matchAll(/`npm run bench -- (\w+)`(?:, `-- (\w+)`)?(?: and `-- (\w+)`)?/g)].flatMap(
      ([, ...names]) => names.flatMap(name => (name === undefined ? [] : [{ page, name }])),
    ),
  )
  assert.ok(named.length >= 10, String(named.length))
  assert.deepEqual(
    named.filter(({ name }) => !parts.has(name)),
    [],
  )
})

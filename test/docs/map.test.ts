// The documents for people are one set: every page is on the map, and links lead to what exists.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { DEFAULT_COMPOSITES } from '../../src/engine/scoring/composites.ts'
import { DEFAULT_GROUPS } from '../../src/engine/scoring/groups.ts'
import { fileOf, MAP_FILE } from '../../src/service/api/docs/map.ts'
import { anchorsOf, documents, isMarkdown, map, pages, proseOf, ROOT, read } from './documents.ts'

const { files: patterns } = JSON.parse(read('package.json')) as { files: string[] }
/** npm packs these whatever `files` says. */
const always = ['README.md', 'LICENSE', 'package.json']
const isPacked = (path: string): boolean =>
  [...always, ...patterns].some(pattern =>
    new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]+')}(?:/|$)`).test(path),
  )

/** Why a relative link leads nowhere; null when it does not. */
function brokenLink(file: string, link: string): string | null {
  const [, anchor] = link.split('#')
  const target = fileOf(file, link)
  if (!existsSync(join(ROOT, target))) return `${link}: no such file`
  if (!statSync(join(ROOT, target)).isFile()) return `${link}: no file`
  if (isPacked(file) && !isPacked(target)) return `${link}: not in the npm package`
  if (isMarkdown(target) && !documents.includes(target)) return `${link}: not on the map`
  return anchor === undefined || anchorsOf(target).includes(anchor) ? null : `${link}: no such heading`
}

/** Where Markdown for people is. */
const folders = ['docs', 'plugins', ...readdirSync(join(ROOT, 'plugins')).map(name => `plugins/${name}`)]
const written = folders.flatMap(folder =>
  existsSync(join(ROOT, folder, 'README.md')) || folder === 'docs'
    ? readdirSync(join(ROOT, folder))
        .filter(isMarkdown)
        .map(name => `${folder}/${name}`)
    : [],
)

describe('the map', () => {
  it('has six parts', () => {
    const titles = map.filter(({ isInside }) => !isInside).map(({ title }) => title)
    assert.deepEqual(titles, ['Start', 'Concepts', 'Recipes', 'Operate', 'Extend', 'Reference'])
  })

  it('has every page exactly once', () => {
    assert.deepEqual([...new Set(pages)], pages)
    assert.deepEqual(
      written.filter(file => file !== MAP_FILE && !pages.includes(file)),
      [],
    )
  })

  it('names each page by its title and says which question it answers', () => {
    for (const { title, file, answers } of map.flatMap(part => part.pages)) {
      if (isMarkdown(file)) assert.equal(`# ${title}`, read(file).split('\n', 1)[0], file)
      assert.match(answers, /^\p{Ll}.*\?$/u, file)
    }
  })
})

describe('the documents', () => {
  for (const file of documents) {
    it(`link from ${file} only to files of the package, pages of the map and headings that exist`, () => {
      const links = [...proseOf(read(file)).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)]
      assert.deepEqual(
        links.flatMap(([, link = '']) => brokenLink(file, link) ?? []),
        [],
      )
    })
  }

  it('name pages in links by their titles and not by their files', () => {
    const named = documents.flatMap(file =>
      [...proseOf(read(file)).matchAll(/\[[\w/.-]+\.md\]\([^)]*\)/g)].map(([link]) => link),
    )
    assert.deepEqual(named, [])
  })

  it('name in docs/architecture.md, and in the README of each wing, only paths that exist', () => {
    const wings = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter(one => one.isDirectory())
    const texts = ['docs/architecture.md', ...wings.map(({ name }) => `src/${name}/README.md`)].map(read)
    const paths = texts.flatMap(text => [
      ...text.matchAll(/`((?:src|plugins|test|schemas|lab|deploy|docs)\/[\w/.]*)`/g),
    ])
    const named = paths.map(([, path = '']) => path)
    assert.ok(named.length > 40, 'paths are found at all')
    assert.deepEqual(
      named.filter(path => !existsSync(join(ROOT, path))),
      [],
    )
  })

  it('list the ceilings and composites of the policy as they are', () => {
    const rows = read('docs/scoring.md').matchAll(/^\| `([a-z_]+)` +\| (-?\d+) +\| /gm)
    const written = Object.fromEntries([...rows].map(([, name = '', number]) => [name, Number(number)]))
    const floors = Object.entries(DEFAULT_COMPOSITES).map(([id, { floor }]) => [id, floor])
    assert.deepEqual(written, { ...DEFAULT_GROUPS, ...Object.fromEntries(floors) })
  })

  it('keep the README within 150 lines', () => {
    assert.ok(read('README.md').trimEnd().split('\n').length <= 150, 'move details to docs/')
  })
})

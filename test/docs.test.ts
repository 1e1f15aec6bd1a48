// What the documents for people name exists: files of the tree, links, and headings that links point to.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { DEFAULT_COMPOSITES } from '../src/scoring/composites.ts'
import { DEFAULT_GROUPS } from '../src/scoring/groups.ts'

const ROOT = resolve(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(ROOT, 'docs')).map(name => `docs/${name}`),
  ...readdirSync(join(ROOT, 'plugins'))
    .map(name => (name === 'README.md' ? `plugins/${name}` : `plugins/${name}/README.md`))
    .filter(file => existsSync(join(ROOT, file))),
  'src/evidence/served/README.md',
]

const { files: patterns } = JSON.parse(read('package.json')) as { files: string[] }
/** npm packs these whatever `files` says. */
const always = ['README.md', 'LICENSE', 'package.json']
const isPacked = (path: string): boolean =>
  [...always, ...patterns].some(pattern =>
    new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]+')}(?:/|$)`).test(path),
  )

/** The anchor that a Markdown viewer gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
const anchors = (file: string): string[] =>
  [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))

/** Why a relative link leads nowhere; null when it does not. */
function brokenLink(file: string, link: string): string | null {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? file : join(dirname(file), path)
  if (!existsSync(join(ROOT, target))) return `${link}: no such file`
  if (isPacked(file) && !isPacked(target)) return `${link}: not in the npm package`
  return anchor === undefined || anchors(target).includes(anchor) ? null : `${link}: no such heading`
}

describe('the documents', () => {
  for (const file of documents) {
    it(`link from ${file} only to files of the package and headings that exist`, () => {
      const links = [...read(file).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link = '']) => link)
      assert.deepEqual(
        links.flatMap(link => brokenLink(file, link) ?? []),
        [],
      )
    })
  }

  it('name in docs/architecture.md only paths that exist', () => {
    const paths = [
      ...read('docs/architecture.md').matchAll(/`((?:src|plugins|test|schemas|bench|deploy|docs)\/[\w/.]*)`/g),
    ]
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

  it('list every page of docs/ in the README', () => {
    const pages = readdirSync(join(ROOT, 'docs'))
    assert.deepEqual(
      pages.filter(page => !read('README.md').includes(`(docs/${page})`)),
      [],
    )
  })
})

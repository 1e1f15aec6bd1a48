import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { describe, it } from 'node:test'

const ROOT = resolve(import.meta.dirname, '..')

interface Import {
  readonly from: string
  /** A path from the root for our own modules, else a bare specifier. */
  readonly to: string
  readonly typeOnly: boolean
  /** Something is named, also when it is nothing but types. */
  readonly clause: boolean
  readonly names: readonly string[]
}

const sources = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => join(folder, name).split(sep).join('/'))

const STATEMENT = /^(?:import|export)\s+(type\s+)?([^'";]*?\sfrom\s+)?['"]([^'"]+)['"]/gm

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return [...text.matchAll(STATEMENT)].map(([, type, clause = '', specifier = '']) => ({
    from: file,
    to: specifier.startsWith('.') ? relative(ROOT, resolve(ROOT, dirname(file), specifier)) : specifier,
    typeOnly: type !== undefined,
    clause: clause !== '',
    names: (/\{([^}]*)\}/.exec(clause)?.[1] ?? clause)
      .split(',')
      .map(name => name.trim())
      .filter(name => name !== '' && !name.startsWith('type ')),
  }))
}

const breaches = (folder: string, forbidden: (one: Import) => boolean) =>
  sources(folder)
    .flatMap(importsOf)
    .filter(forbidden)
    .map(({ from, to }) => `${from} imports ${to}`)

/** Files that import themselves in the end. */
function circles(files: readonly string[], counted: (one: Import) => boolean): string[] {
  const imports = new Map(files.map(file => [file, importsOf(file).filter(counted)]))
  const reached = (file: string): Set<string> => {
    const found = new Set<string>()
    const left = [file]
    for (let at = left.pop(); at !== undefined; at = left.pop()) {
      for (const { to } of imports.get(at) ?? []) {
        if (!found.has(to)) left.push(to)
        found.add(to)
      }
    }
    return found
  }
  return files.filter(file => reached(file).has(file))
}

const CONTRACT = 'src/engine/plugin.ts'
const isNode = (to: string) => to.startsWith('node:') || builtinModules.includes(to)
const folderOf = (file: string) => file.split('/').slice(0, 2).join('/')
const under = (folder: string) => (to: string) => to.startsWith(`${folder}/`)

describe('the architecture', () => {
  it('lets plugins import the contract, their own folder and pure libraries', () => {
    const found = breaches('plugins', ({ from, to }) => {
      if (from === 'plugins/index.ts') return false
      return (
        isNode(to) ||
        (to.startsWith('src/') && to !== CONTRACT) ||
        (under('plugins')(to) && folderOf(to) !== folderOf(from))
      )
    })
    assert.deepEqual(found, [])
  })

  it('gives plugins no clock and no environment', () => {
    const found = sources('plugins').filter(file =>
      /\b(?:Date\.now|new Date\(\)|performance\.|process\.|Math\.random|fetch\()/.test(
        readFileSync(join(ROOT, file), 'utf8'),
      ),
    )
    assert.deepEqual(found, [])
  })

  for (const folder of ['src/engine', 'src/scoring']) {
    it(`keeps gatherers and plugins out of ${folder}`, () => {
      const found = breaches(
        folder,
        ({ to, typeOnly }) =>
          under('plugins')(to) ||
          (!typeOnly && (under('src/evidence')(to) || under('src/network')(to) || under('src/api')(to))),
      ).filter(one => !PURE_EVIDENCE.some(pure => one.endsWith(`imports ${pure}`)))
      assert.deepEqual(found, [])
    })
  }

  it('lets evidence gather, and know nothing of what is made of it', () => {
    const above = ['src/engine', 'src/scoring', 'src/datasets', 'src/store', 'src/api', 'plugins'].map(under)
    assert.deepEqual(
      breaches('src/evidence', ({ to }) => above.some(is => is(to))),
      [],
    )
  })

  it('lets scoring stand on nothing but itself', () => {
    assert.deepEqual(
      breaches('src/scoring', ({ to }) => to.startsWith('src/') && !under('src/scoring')(to)),
      [],
    )
  })

  it('keeps HTTP apart from evidence, scoring and the network', () => {
    assert.deepEqual(
      breaches(
        'src/api',
        ({ to }) => under('src/evidence')(to) || under('src/scoring')(to) || under('src/network')(to),
      ),
      [],
    )
  })

  it('opens sockets and asks DNS in the network alone', () => {
    const found = ['src', 'plugins'].flatMap(folder =>
      breaches(
        folder,
        ({ from, to, typeOnly, names }) =>
          OPENING.has(to) &&
          !typeOnly &&
          !names.every(name => PURE_NAMES.has(name)) &&
          !MAY_OPEN.some(may => from.startsWith(may)),
      ),
    )
    assert.deepEqual(found, [])
  })

  it('never uses the system’s own look-up', () => {
    const found = ['src', 'plugins'].flatMap(folder =>
      breaches(
        folder,
        ({ from, to, names }) =>
          from !== WITHDRAWS && /^node:dns/.test(to) && names.some(name => !['getServers', 'Resolver'].includes(name)),
      ),
    )
    assert.deepEqual(found, [])
  })

  it('reads the environment in the configuration alone', () => {
    const found = ['src', 'plugins']
      .flatMap(sources)
      .filter(file => !file.startsWith('src/config/') && readFileSync(join(ROOT, file), 'utf8').includes('process.env'))
    assert.deepEqual(found, [])
  })

  it('runs no module before one it needs', () => {
    const running = ({ to, typeOnly, names, clause }: Import) =>
      to.startsWith('src/') || to.startsWith('plugins/') ? !typeOnly && (names.length > 0 || !clause) : false
    assert.deepEqual(circles(['src', 'plugins'].flatMap(sources), running), [])
  })

  it('lets no part of the network lean on what leans on it, in types either', () => {
    assert.deepEqual(
      circles(sources('src/network'), ({ to }) => to.startsWith('src/network/')),
      [],
    )
  })

  it('has no drawer for odds and ends', () => {
    const names = ['src', 'plugins', 'test']
      .flatMap(sources)
      .filter(file => /\/(?:utils?|common|helpers?|manager|base|misc)(?:\.ts|\/)/.test(file))
    assert.deepEqual(names, [])
  })
})

/** Evidence modules that open nothing themselves: the engine and plugins may have their values. */
const PURE_EVIDENCE = ['src/evidence/decline.ts', 'src/evidence/served/fields.ts', 'src/evidence/lookup.ts']

const OPENING = new Set([
  'node:net',
  'node:tls',
  'node:dgram',
  'node:dns',
  'node:dns/promises',
  'node:http',
  'node:https',
  'node:http2',
  'undici',
])

/** What those modules have that opens nothing. */
const PURE_NAMES = new Set(['isIP', 'isIPv4', 'isIPv6', 'STATUS_CODES', 'rootCertificates'])

/** Takes all of it away from isolated plugins. */
const WITHDRAWS = 'src/isolation/withdraw.ts'

/** The network itself, the interface we serve, and the lab. */
const MAY_OPEN = ['src/network/', 'src/api/server.ts', 'src/testing/', WITHDRAWS]

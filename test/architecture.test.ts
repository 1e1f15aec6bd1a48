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
  /** `import('...')` in an expression: it runs when that expression does. */
  readonly lazy: boolean
  /** Something is named, also when it is nothing but types. */
  readonly clause: boolean
  readonly names: readonly string[]
}

const sources = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => join(folder, name).split(sep).join('/'))

const LAZY = /\bimport\('(\.[^']+)'\)/g
const STATEMENT = /^(?:import|export)\s+(type\s+)?([^'";]*?\sfrom\s+)?['"]([^'"]+)['"]/gm

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const pathOf = (specifier: string) =>
    specifier.startsWith('.') ? relative(ROOT, resolve(ROOT, dirname(file), specifier)) : specifier
  const lazy = [...text.matchAll(LAZY)].map(([, specifier = '']) => ({
    from: file,
    to: pathOf(specifier),
    typeOnly: false,
    lazy: true,
    clause: false,
    names: [],
  }))
  const statements = [...text.matchAll(STATEMENT)].map(([, type, clause = '', specifier = '']) => ({
    from: file,
    to: pathOf(specifier),
    typeOnly: type !== undefined,
    lazy: false,
    clause: clause !== '',
    names: (/\{([^}]*)\}/.exec(clause)?.[1] ?? clause)
      .split(',')
      .map(name => name.trim())
      .filter(name => name !== '' && !name.startsWith('type ')),
  }))
  return [...statements, ...lazy]
}

const breaches = (folder: string, forbidden: (one: Import) => boolean) =>
  sources(folder)
    .flatMap(importsOf)
    .filter(forbidden)
    .map(({ from, to }) => `${from} imports ${to}`)

/** Answers what a file imports, and what that imports, and so on. */
function createReach(files: readonly string[], counted: (one: Import) => boolean = () => true) {
  const imports = new Map(files.map(file => [file, importsOf(file).filter(counted)]))
  return (file: string): Set<string> => {
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
}

/** The import runs the imported module. */
const isRun = ({ typeOnly, lazy, names, clause }: Import) => !typeOnly && !lazy && (names.length > 0 || !clause)

const CONTRACT = 'src/engine/plugin.ts'
/** The list of the kinds of evidence; it loads gatherers lazily. */
const KINDS = 'src/evidence/kinds.ts'
const ALL = ['src', 'plugins'].flatMap(sources)

/** Functions of a document alone, each in a file of its own. */
const OF_DOCUMENT: ReadonlySet<string> = new Set(
  ['handover', 'leaving_script', 'refresh', 'undrawn'].map(name => `src/evidence/document/${name}.ts`),
)
/** Facts of one kind or of all; `evidence.ts` gathers their types. */
const isFacts = (file: string) =>
  OF_DOCUMENT.has(file) || /^src\/evidence\/(?:\w+\/)?(?:facts|evidence)\.ts$/.test(file)
/** Of the network and of evidence, what is as pure: syntax, and what asks through the network of a check. */
const PURE: ReadonlySet<string> = new Set([
  'src/network/set_cookie.ts',
  'src/network/media_type.ts',
  'src/evidence/lookup.ts',
])
const isNode = (to: string) => to.startsWith('node:') || builtinModules.includes(to)
const folderOf = (file: string) => file.split('/').slice(0, 2).join('/')
const under = (folder: string) => (to: string) => to.startsWith(`${folder}/`)

/** The wings from the top: an import may only go down. */
const FLOORS = [
  'src/testing',
  'src/cli',
  'src/web',
  'src/service',
  'src/results',
  'src/store',
  'src/config',
  'plugins',
  'src/engine',
  'src/evidence',
  'src/knowledge',
  'src/network',
  'src/targets',
  'src/base',
]
const floorOf = (file: string): number => FLOORS.findIndex(wing => under(wing)(file))

describe('the architecture', () => {
  it('has a floor for every file of the product but its two entrances', () => {
    assert.deepEqual(
      ALL.filter(file => floorOf(file) === -1),
      ['src/index.ts', 'src/library.ts'],
    )
  })

  it('imports only downwards', () => {
    const found = ['src', 'plugins'].flatMap(folder =>
      breaches(folder, ({ from, to }) => floorOf(from) !== -1 && floorOf(to) !== -1 && floorOf(to) < floorOf(from)),
    )
    assert.deepEqual(found, [])
  })

  it('keeps the laboratory out of the product', () => {
    const found = ['src', 'plugins'].flatMap(folder => breaches(folder, ({ to }) => under('lab')(to)))
    assert.deepEqual(found, [])
  })

  it('lets plugins import only the contract, their own folder and pure libraries', () => {
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

  it('keeps gatherers and the network out of the engine, but for plugins that run apart', () => {
    const found = breaches(
      'src/engine',
      ({ from, to, typeOnly }) =>
        !under('src/engine/isolation')(from) &&
        !PURE.has(to) &&
        ((!typeOnly && under('src/network')(to)) || (under('src/evidence')(to) && !isFacts(to))),
    )
    assert.deepEqual(found, [])
  })

  const runsIo = (files: readonly string[]) => {
    const reach = createReach(ALL, isRun)
    const isGathering = (to: string) => under('src/evidence')(to) && !isFacts(to) && to !== KINDS && !PURE.has(to)
    return files.flatMap(from =>
      [...reach(from)]
        .filter(to => isGathering(to) || (under('src/network')(to) && !PURE.has(to)) || IO.has(to))
        .map(to => `${from} runs ${to}`),
    )
  }

  it('keeps analyzers pure: nothing they run gathers evidence, opens a socket or reads a file', () => {
    const analyzers = sources('plugins').filter(file => file !== 'plugins/index.ts')
    assert.deepEqual(runsIo([CONTRACT, ...analyzers]), [])
  })

  it('keeps facts pure: types, judgement, and the facts of other kinds', () => {
    assert.deepEqual(runsIo(ALL.filter(isFacts)), [])
  })

  it('registers every folder with a gatherer, and finds facts in each', () => {
    const folders = (name: string) =>
      ALL.filter(file => under('src/evidence')(file) && file.endsWith(`/${name}`)).map(dirname)
    const kinds = importsOf(KINDS).flatMap(({ to, lazy }) => (lazy ? [dirname(to)] : []))
    assert.deepEqual(kinds.toSorted(), folders('gather.ts').toSorted())
    assert.deepEqual(
      kinds.filter(folder => !folders('facts.ts').includes(folder)),
      [],
    )
  })

  it('keeps scoring independent of everything else', () => {
    assert.deepEqual(
      breaches('src/engine/scoring', ({ to }) => to.startsWith('src/') && !under('src/engine/scoring')(to)),
      [],
    )
  })

  it('keeps HTTP apart from evidence, scoring and the network', () => {
    assert.deepEqual(
      breaches(
        'src/service/api',
        ({ to }) => under('src/evidence')(to) || under('src/engine/scoring')(to) || under('src/network')(to),
      ),
      [],
    )
  })

  it('opens sockets and queries DNS only in the network', () => {
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

  it('connects to the site only in the site session, and elsewhere in evidence only for other protocols', () => {
    const found = sources('src/evidence').filter(file => CONNECTING.test(readFileSync(join(ROOT, file), 'utf8')))
    assert.deepEqual(
      found.filter(file => !under('src/evidence/site_session')(file)),
      OTHER_PROTOCOLS,
    )
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

  it('reads the environment only in the configuration', () => {
    const found = ['src', 'plugins']
      .flatMap(sources)
      .filter(file => !file.startsWith('src/config/') && readFileSync(join(ROOT, file), 'utf8').includes('process.env'))
    assert.deepEqual(found, [])
  })

  it('has no circle of imports, types and lazy imports included', () => {
    const reach = createReach(ALL)
    assert.deepEqual(
      ALL.filter(file => reach(file).has(file)),
      [],
    )
  })

  it('loads OpenTelemetry only where traces are on', () => {
    const reach = createReach(ALL, isRun)
    const found = ALL.filter(
      file => !under('src/service/telemetry')(file) && [...reach(file)].some(to => to.startsWith('@opentelemetry/')),
    )
    assert.deepEqual(found, [])
  })

  it('creates caches in one module, which bounds their size', () => {
    const found = ['src', 'plugins'].flatMap(folder =>
      breaches(folder, ({ from, to }) => to === 'lru-cache' && from !== 'src/base/cache/cache.ts'),
    )
    assert.deepEqual(found, [])
  })

  it('states the bound of every table that grows', () => {
    const filling = sources('src').filter(
      file => !ENDS_SOON.some(folder => file.startsWith(folder)) && FILLED.test(readFileSync(join(ROOT, file), 'utf8')),
    )
    assert.deepEqual(filling.sort(), Object.keys(BOUNDS).sort())
  })

  it('has no folder for miscellaneous files', () => {
    const names = ['src', 'plugins', 'test']
      .flatMap(sources)
      .filter(file => /\/(?:(?:utils?|common|helpers?|manager|misc)(?:\.ts|\/)|base\.ts)/.test(file))
    assert.deepEqual(names, [])
  })
})

const IO = new Set([
  'node:fs',
  'node:fs/promises',
  'node:net',
  'node:tls',
  'node:dgram',
  'node:dns',
  'node:dns/promises',
  'node:http',
  'node:https',
  'node:http2',
  'node:child_process',
  'node:worker_threads',
  'undici',
])

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
  'nodemailer',
  'nodemailer/lib/smtp-connection',
])

/** What those modules have that opens nothing. */
const PURE_NAMES = new Set(['isIP', 'isIPv4', 'isIPv6', 'STATUS_CODES', 'rootCertificates'])

/** Takes all of it away from isolated plugins. */
const WITHDRAWS = 'src/engine/isolation/sandbox.ts'

/** The network itself, the interface we serve, and the lab. */
const MAY_OPEN = ['src/network/', 'src/service/api/server.ts', 'src/testing/', WITHDRAWS]

/** Calls of the network that open a connection, or take one over. */
const CONNECTING = /\.connect\(|\b(?:connectSecurely|openHttpSession|createSessions)\(/

/** SMTP, DNS over TCP, WHOIS, and handshakes that offer what the site session's client does not. */
const OTHER_PROTOCOLS = [
  'src/evidence/mail_servers/converse.ts',
  'src/evidence/name_servers/gather.ts',
  'src/evidence/registration/whois.ts',
  'src/evidence/tls_offer/server_probe.ts',
]

/** A map or a set that begins empty. Weak ones hold nothing alive. */
const FILLED = /new (?:Map|Set)(?:<[^()]*>)?\(\)/

/** What runs once and ends, or reads one page. */
const ENDS_SOON = [
  'lab/evaluation/',
  'lab/page_training/',
  'src/results/bulk/',
  'src/cli/',
  'src/results/diff/',
  'src/results/lookalikes/',
  'src/evidence/document/',
  'src/testing/',
  'lab/training/',
  'src/web/',
]

const CALL = 'one call or one check'
const START = 'what is configured or shipped'
const UNDER_WAY = 'requests and checks under way'

/** What outlives a request and is named by strangers belongs into `src/base/cache/`. */
const BOUNDS: Readonly<Record<string, string>> = {
  'src/service/api/app.ts': START,
  'src/service/api/batch.ts': CALL,
  'src/service/api/docs/markdown.ts': CALL,
  'src/service/api/docs/search.ts': CALL,
  'src/service/api/docs/site.ts': 'the pages of the documentation, each once',
  'src/service/api/input.ts': 'the parameters of a query of 1 024 characters',
  'src/service/api/jobs.ts': CALL,
  'src/service/api/prefer.ts': CALL,
  'src/service/api/log.ts': '256 kinds of lines for a minute, each below a KiB',
  'src/service/api/metrics.ts': 'statuses and codes of answers; plans of the configuration; 1 000 keys',
  'src/service/api/progress.ts': UNDER_WAY,
  'src/service/api/seats.ts': UNDER_WAY,
  'src/service/api/turns.ts': UNDER_WAY,
  'src/service/api/server.ts': 'connections, 10 000 of them',
  'src/knowledge/brands/owners.ts': 'the domains of the brands, once',
  'src/base/cache/cache.ts': 'the caps of tables',
  'src/config/json_text.ts': CALL,
  'src/base/cpu_queue.ts': UNDER_WAY,
  'src/knowledge/datasets/feed/feed_index.ts': 'lengths of address prefixes',
  'src/knowledge/datasets/loading.ts': START,
  'src/knowledge/datasets/schedule.ts': START,
  'src/engine/analyze.ts': CALL,
  'src/engine/hosts.ts': CALL,
  'src/engine/run.ts': CALL,
  'src/engine/selection.ts': CALL,
  'src/engine/test_target.ts': CALL,
  'src/engine/registry.ts': START,
  'src/evidence/crawl_files/robots_text.ts': CALL,
  'src/evidence/mail_records/spf_record.ts': CALL,
  'src/evidence/mail_records/tag_list.ts': CALL,
  'src/evidence/name_score/model_file.ts': CALL,
  'src/evidence/operator_lists/lookup.ts': '100 000 entries a file',
  'src/knowledge/datasets/bootstrap.ts': 'a bootstrap file',
  'src/evidence/rendered/protocol.ts': 'calls under way, sessions of VISITS visits',
  'src/evidence/rendered/renderer.ts': UNDER_WAY,
  'src/evidence/rendered/visit.ts': CALL,
  'src/evidence/site_session/site_files.ts': CALL,
  'src/evidence/tls/chain.ts': CALL,
  'src/evidence/tls/extensions.ts': CALL,
  'src/evidence/tls/path.ts': CALL,
  'src/evidence/tls/trust_store.ts': START,
  'src/evidence/tls_offer/server_reply.ts': CALL,
  'src/engine/isolation/child.ts': UNDER_WAY,
  'src/engine/isolation/child_gatherer.ts': CALL,
  'src/engine/isolation/module_process.ts': UNDER_WAY,
  'src/engine/isolation/protocol.ts': UNDER_WAY,
  'src/service/jobs/turn.ts': CALL,
  'src/service/mcp/local_desk.ts': '100 results of one session',
  'src/network/create_network.ts': CALL,
  'src/engine/report/report.ts': CALL,
  'src/network/fetch.ts': CALL,
  'src/network/guarded_proxy.ts': CALL,
  'src/network/kept_sessions.ts': 'IDLE_TOTAL connections, RESUMPTIONS tickets',
  'src/network/mail_way_out.ts': UNDER_WAY,
  'src/network/resolver_health.ts': START,
  'src/network/resolver.ts': CALL,
  'src/network/sessions.ts': CALL,
  'src/network/tls.ts': 'kinds of offers',
  'src/network/way_out.ts': UNDER_WAY,
  'src/base/scheduler/scheduler.ts': 'requests and checks under way; 1 024 resources that nobody uses',
  'src/base/single_flight.ts': UNDER_WAY,
  'src/knowledge/upstreams/ask_later.ts': 'SUBJECTS',
  'src/service/readiness.ts': START,
  'src/service/watch/matters.ts': CALL,
  'src/service/watch/work.ts': UNDER_WAY,
  'src/store/sql/allowances.ts': 'lists and registries there are',
  'src/store/sql/keys.ts': 'the caps of tables',
  'src/store/sql/quota.ts': UNDER_WAY,
  'src/store/sql/sqlite/claims.ts': 'statements of the release',
  'src/store/sql/sqlite/dialect.ts': '256 statements a connection',
  'src/store/sql/sqlite/file.ts': 'locks of this process, one for each directory',
  'src/store/sql/sqlite/queues.ts': UNDER_WAY,
  'src/store/sql/targets.ts': CALL,
  'src/store/sql/usage.ts': CALL,
  'src/store/sql/wrong_keys.ts': UNDER_WAY,
  'src/store/usage_days.ts': 'the kept days of one account',
  'src/service/workers/pool.ts': START,
}

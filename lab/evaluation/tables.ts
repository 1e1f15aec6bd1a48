// Formats the results of an evaluation as tables.

export interface Row {
  readonly id: string
  readonly label: string
  readonly kind: string
  /** What the page asks visitors for; null if its record does not say. */
  readonly asks: readonly string[] | null
  readonly host_kind: string
  readonly age: string
  /** Name of the evasion or loader, or null for the page as it is. */
  readonly evasion: string | null
  /** With `--paths`: where it was served. Otherwise null. */
  readonly place: string | null
  readonly source: string
  readonly verdict: string
  readonly score: number
  readonly recommendation: string
  readonly confidence: string
  readonly signals: readonly string[]
  readonly technologies: readonly string[]
  readonly encoding: string
  readonly cpu_ms: number
}

/** The 95 % Wilson interval of `hits` out of `all`, as shares. */
export function wilson(hits: number, all: number): readonly [low: number, high: number] {
  if (all === 0) return [0, 0]
  const z = 1.96
  const share = hits / all
  const scale = 1 + (z * z) / all
  const centre = share + (z * z) / (2 * all)
  const width = z * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all))
  return [Math.max(0, (centre - width) / scale), Math.min(1, (centre + width) / scale)]
}

export type Cell = ReturnType<typeof cellOf>

const percent = (share: number): number => Math.round(share * 1_000) / 10

const isFlagged = ({ verdict }: Row): boolean => verdict !== 'safe'

const POSING: ReadonlySet<string> = new Set(['impersonated_brand', 'brand_sign_in_step', 'brand_lure'])

export function cellOf(rows: readonly Row[]) {
  const count = (matches: (row: Row) => boolean) => rows.filter(matches).length
  const share = (hits: number) => percent(hits / rows.length)
  const interval = (hits: number) => {
    const [low, high] = wilson(hits, rows.length)
    return [percent(low), percent(high)] as const
  }
  const flaggedCount = count(isFlagged)
  const malicious = count(({ verdict }) => verdict === 'malicious')
  return {
    checks: rows.length,
    safe: rows.length - flaggedCount,
    suspicious: flaggedCount - malicious,
    malicious,
    flagged_percent: share(flaggedCount),
    flagged_interval: interval(flaggedCount),
    malicious_percent: share(malicious),
    malicious_interval: interval(malicious),
    /** Share with the recommendation `review` or `block`. */
    review_percent: share(count(({ recommendation }) => recommendation !== 'allow')),
    /** Share with high confidence. */
    high_percent: share(count(({ confidence }) => confidence === 'high')),
    /** Share that is said to pose as a brand. */
    posing_percent: share(count(({ signals }) => signals.some(id => POSING.has(id)))),
  }
}

export interface Report {
  readonly pages: number
  readonly checks: number
  readonly tables: Readonly<Record<string, Readonly<Record<string, Cell>>>>
  /** By label: the number of pages that ask for something, and for each thing. */
  readonly asks: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Signals with points, and the number of 8-year-old benign pages that have each. */
  readonly benign_signals: Readonly<Record<string, number>>
  /** Of the same checks. */
  readonly benign_technologies: Readonly<Record<string, number>>
  readonly benign_encodings: Readonly<Record<string, number>>
  readonly cpu_ms: { readonly median: number; readonly p90: number; readonly p99: number; readonly max: number }
}

const groupBy = (rows: readonly Row[], keyOf: (row: Row) => string): Record<string, Cell> =>
  groupByEach(rows, row => [keyOf(row)])

/** A row counts in every group of its keys. */
function groupByEach(rows: readonly Row[], keysOf: (row: Row) => readonly string[]): Record<string, Cell> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    for (const key of keysOf(row)) {
      const group = groups.get(key) ?? []
      group.push(row)
      groups.set(key, group)
    }
  }
  const entries = [...groups].sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, group]) => [key, cellOf(group)]))
}

/** Pages made after real cases, for training and tests. */
const RECONSTRUCTION = 'reconstruction'
/** Forms cut out of their pages. */
const FRAGMENT = 'fragment'
const ASKING: ReadonlySet<string> = new Set(['log-in', 'sign-up', 'form with password'])
const WITHOUT_SECRET: ReadonlySet<string> = new Set(['drainer', 'captive', 'spa-shell'])
const SECRETS: ReadonlySet<string> = new Set(['password', 'card', 'identity', 'code', 'seed'])

/** A drainer, captive portal or shell, or a page that asks for no secret yet. */
const isFirstStep = ({ kind, asks }: Row): boolean =>
  WITHOUT_SECRET.has(kind) || (asks !== null && !asks.some(one => SECRETS.has(one)))

/** Keys by what a page asks for: `something` beside each thing, so that pages can be counted. */
function asksOf({ asks }: Row): readonly string[] {
  if (asks === null) return ['not recorded']
  return asks.length === 0 ? ['nothing'] : ['something', ...asks]
}

/** Of a page and its changed copies, those of which the page itself is flagged on the same host at the same age. */
function copiesOfFlagged(phishing: readonly Row[]): Row[] {
  const checkOf = ({ id, host_kind, age }: Row) => `${id} ${host_kind} ${age}`
  const flaggedChecks = new Set(phishing.filter(row => row.evasion === null && isFlagged(row)).map(checkOf))
  return phishing.filter(row => row.evasion !== null && flaggedChecks.has(checkOf(row)))
}

export function reportOf(rows: readonly Row[]): Report {
  const phishing = rows.filter(({ label, kind }) => label === 'phishing' && kind !== RECONSTRUCTION)
  const benign = rows.filter(({ label }) => label === 'benign')
  const whole = benign.filter(({ kind }) => !kind.includes(FRAGMENT))
  const plain = phishing.filter(({ evasion }) => evasion === null)
  const original = [...plain, ...benign]
  const byEvasion = ({ evasion, host_kind, age }: Row) => `${evasion}, ${host_kind}, ${age}`
  const agedRows = benign.filter(({ age }) => age === '8 y')
  const times = rows.map(({ cpu_ms }) => cpu_ms).sort((one, other) => one - other)
  const at = (share: number) =>
    Math.round((times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0) * 10) / 10
  return {
    pages: new Set(rows.map(({ id }) => id)).size,
    checks: rows.length,
    tables: {
      'Front page and path': groupBy(
        original.filter(({ place }) => place !== null),
        ({ label, place, age }) => `${label}, ${place}, ${age}`,
      ),
      'Phishing by host and age': groupBy(plain, ({ host_kind, age }) => `${host_kind}, ${age}`),
      'Phishing by kind': groupBy(plain, ({ kind }) => kind),
      'Phishing that asks for no secret yet': groupBy(
        plain.filter(isFirstStep),
        ({ host_kind, age }) => `${host_kind}, ${age}`,
      ),
      'Phishing by source, random host of unknown age': groupBy(
        plain.filter(({ host_kind, age }) => host_kind === 'random' && age === 'unknown'),
        ({ source }) => source,
      ),
      'Phishing after an evasion': groupBy(
        phishing.filter(({ evasion }) => evasion !== null),
        byEvasion,
      ),
      'Phishing that is flagged as it is, after an evasion': groupBy(copiesOfFlagged(phishing), byEvasion),
      'By what a page asks for and host, unknown age': groupByEach(
        original.filter(({ age }) => age === 'unknown'),
        row => asksOf(row).map(phrase => `${row.label}, ${phrase}, ${row.host_kind}`),
      ),
      'Benign, whole pages': {
        ...groupBy(whole, ({ age }) => `all, ${age}`),
        ...groupBy(
          whole.filter(({ kind }) => ASKING.has(kind)),
          ({ age }) => `log-ins and sign-ups, ${age}`,
        ),
      },
      'Benign by host and age': groupBy(whole, ({ host_kind, age }) => `${host_kind}, ${age}`),
      'Benign by age': groupBy(benign, ({ age }) => age),
      'Benign by kind': groupBy(benign, ({ kind, age }) => `${kind}, ${age}`),
      'Benign by source': groupBy(benign, ({ source, age }) => `${source}, ${age}`),
    },
    asks: { phishing: tallyAsks(plain), benign: tallyAsks(benign) },
    benign_signals: tally(agedRows.flatMap(({ signals }) => signals)),
    benign_technologies: tally(agedRows.flatMap(({ technologies }) => technologies)),
    benign_encodings: tally(agedRows.map(({ encoding }) => encoding)),
    cpu_ms: { median: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) },
  }
}

const tallyAsks = (rows: readonly Row[]) => tally([...new Map(rows.map(row => [row.id, row])).values()].flatMap(asksOf))

function tally(names: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([, one], [, other]) => other - one))
}

const countsOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')

function countList(title: string, counts: Readonly<Record<string, number>>): string[] {
  const all = Object.values(counts)
  const sum = all.reduce((total, count) => total + count, 0)
  return all.length === 0 ? [] : [`## ${title}`, `${all.length} different, ${sum} in all: ${countsOf(counts)}`, '']
}

const askTable = (label: string, counts: Readonly<Record<string, number>>): string[] =>
  Object.keys(counts).length === 0 ? [] : [`## What ${label} pages ask for`, countsOf(counts), '']

const HEAD = [
  '|  | checks | safe | suspicious | malicious | flagged % [95 %] | malicious % [95 %] | review or block % | high confidence % | poses as a brand % |',
  '|---|---|---|---|---|---|---|---|---|---|',
]

function lineOf(key: string, cell: Cell): string {
  const flaggedText = `${cell.flagged_percent} [${cell.flagged_interval.join('–')}]`
  const malicious = `${cell.malicious_percent} [${cell.malicious_interval.join('–')}]`
  const counts = [cell.checks, cell.safe, cell.suspicious, cell.malicious]
  return `| ${[key, ...counts, flaggedText, malicious, cell.review_percent, cell.high_percent, cell.posing_percent].join(' | ')} |`
}

/** In Markdown. */
export function textOf(report: Report): string {
  const { pages, checks, tables, asks, benign_signals, benign_technologies, benign_encodings, cpu_ms } = report
  const lines = Object.entries(tables).flatMap(([title, cells]) => {
    const rows = Object.entries(cells).map(([key, cell]) => lineOf(key, cell))
    return rows.length === 0 ? [] : [`## ${title}`, ...HEAD, ...rows, '']
  })
  const { median, p90, p99, max } = cpu_ms
  return [
    ...lines,
    ...Object.entries(asks).flatMap(([label, counts]) => askTable(label, counts)),
    ...countList('Signals with points on benign pages', benign_signals),
    ...countList('Technologies on benign pages', benign_technologies),
    ...countList('Encodings of benign pages', benign_encodings),
    `${pages} pages, ${checks} checks; CPU of a check: median ${median} ms, p90 ${p90}, p99 ${p99}, most ${max}`,
  ].join('\n')
}

// Formats the results of an evaluation as tables.

export interface Row {
  readonly id: string
  readonly label: string
  readonly kind: string
  readonly host_kind: string
  readonly age: string
  /** Name of the evasion, or null for the page as it is. */
  readonly evasion: string | null
  /** With `--paths`: where it was served. Otherwise null. */
  readonly place: string | null
  readonly source: string
  readonly verdict: string
  readonly score: number
  readonly signals: readonly string[]
  readonly technologies: readonly string[]
  readonly encoding: string
  readonly cpu_ms: number
}

/** The 95 % Wilson interval of `found` out of `all`, as shares. */
export function wilson(found: number, all: number): readonly [low: number, high: number] {
  if (all === 0) return [0, 0]
  const z = 1.96
  const share = found / all
  const scale = 1 + (z * z) / all
  const centre = share + (z * z) / (2 * all)
  const width = z * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all))
  return [Math.max(0, (centre - width) / scale), Math.min(1, (centre + width) / scale)]
}

export interface Cell {
  readonly checks: number
  readonly safe: number
  readonly suspicious: number
  readonly malicious: number
  readonly flagged_percent: number
  readonly flagged_interval: readonly [number, number]
  readonly malicious_percent: number
  readonly malicious_interval: readonly [number, number]
}

const percent = (share: number): number => Math.round(share * 1_000) / 10

export function cellOf(rows: readonly Row[]): Cell {
  const count = (verdict: string) => rows.filter(row => row.verdict === verdict).length
  const [safe, suspicious, malicious] = [count('safe'), count('suspicious'), count('malicious')]
  const [low, high] = wilson(suspicious + malicious, rows.length)
  const [least, most] = wilson(malicious, rows.length)
  return {
    checks: rows.length,
    safe,
    suspicious,
    malicious,
    flagged_percent: percent((suspicious + malicious) / rows.length),
    flagged_interval: [percent(low), percent(high)],
    malicious_percent: percent(malicious / rows.length),
    malicious_interval: [percent(least), percent(most)],
  }
}

export interface Report {
  readonly pages: number
  readonly checks: number
  readonly tables: Readonly<Record<string, Readonly<Record<string, Cell>>>>
  /** Signals with points, and the number of 8-year-old benign pages that have each. */
  readonly benign_signals: Readonly<Record<string, number>>
  /** Of the same checks. */
  readonly benign_technologies: Readonly<Record<string, number>>
  readonly benign_encodings: Readonly<Record<string, number>>
  readonly cpu_ms: { readonly median: number; readonly p90: number; readonly p99: number; readonly max: number }
}

const groupBy = (rows: readonly Row[], keyOf: (row: Row) => string): Record<string, Cell> => {
  const groups = new Map<string, Row[]>()
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row])
  const sorted = [...groups].sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(sorted.map(([key, group]) => [key, cellOf(group)]))
}

/** Pages made after real cases, for training and tests. */
const RECONSTRUCTION = 'reconstruction'
/** Forms cut out of their pages. */
const FRAGMENT = 'fragment'
const ASKING: ReadonlySet<string> = new Set(['log-in', 'sign-up'])

export function reportOf(rows: readonly Row[]): Report {
  const phishing = rows.filter(({ label, kind }) => label === 'phishing' && kind !== RECONSTRUCTION)
  const benign = rows.filter(({ label }) => label === 'benign')
  const whole = benign.filter(({ kind }) => !kind.includes(FRAGMENT))
  const plain = phishing.filter(({ evasion }) => evasion === null)
  const aged = benign.filter(({ age }) => age === '8 y')
  const times = rows.map(({ cpu_ms }) => cpu_ms).sort((one, other) => one - other)
  const at = (share: number) =>
    Math.round((times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0) * 10) / 10
  return {
    pages: new Set(rows.map(({ id }) => id)).size,
    checks: rows.length,
    tables: {
      'Front page and path': groupBy(
        [...plain, ...benign].filter(({ place }) => place !== null),
        ({ label, place, age }) => `${label}, ${place}, ${age}`,
      ),
      'Phishing by host and age': groupBy(plain, ({ host_kind, age }) => `${host_kind}, ${age}`),
      'Phishing by kind': groupBy(plain, ({ kind }) => kind),
      'Phishing by source, random host of unknown age': groupBy(
        plain.filter(({ host_kind, age }) => host_kind === 'random' && age === 'unknown'),
        ({ source }) => source,
      ),
      'Phishing after an evasion': groupBy(
        phishing.filter(({ evasion }) => evasion !== null),
        ({ evasion, host_kind, age }) => `${evasion}, ${host_kind}, ${age}`,
      ),
      'Benign, whole pages': {
        ...groupBy(whole, ({ age }) => `all, ${age}`),
        ...groupBy(
          whole.filter(({ kind }) => ASKING.has(kind)),
          ({ age }) => `log-ins and sign-ups, ${age}`,
        ),
      },
      'Benign by age': groupBy(benign, ({ age }) => age),
      'Benign by kind': groupBy(benign, ({ kind, age }) => `${kind}, ${age}`),
      'Benign by source': groupBy(benign, ({ source, age }) => `${source}, ${age}`),
    },
    benign_signals: tally(aged.flatMap(({ signals }) => signals)),
    benign_technologies: tally(aged.flatMap(({ technologies }) => technologies)),
    benign_encodings: tally(aged.map(({ encoding }) => encoding)),
    cpu_ms: { median: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) },
  }
}

function tally(names: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([, one], [, other]) => other - one))
}

function listed(title: string, counts: Readonly<Record<string, number>>): string[] {
  const all = Object.entries(counts)
  const sum = all.reduce((total, [, count]) => total + count, 0)
  const text = all.map(([name, count]) => `${name} ${count}`).join(', ')
  return all.length === 0 ? [] : [`## ${title}`, `${all.length} different, ${sum} in all: ${text}`, '']
}

/** In Markdown. */
export function textOf(report: Report): string {
  const { pages, checks, tables, benign_signals, benign_technologies, benign_encodings, cpu_ms } = report
  const lines = Object.entries(tables).flatMap(([title, cells]) => {
    const rows = Object.entries(cells).map(([key, cell]) => {
      const {
        checks,
        safe,
        suspicious,
        malicious,
        flagged_percent,
        flagged_interval,
        malicious_percent,
        malicious_interval,
      } = cell
      return `| ${key} | ${checks} | ${safe} | ${suspicious} | ${malicious} | ${flagged_percent} [${flagged_interval.join('–')}] | ${malicious_percent} [${malicious_interval.join('–')}] |`
    })
    const head = [
      '|  | checks | safe | suspicious | malicious | flagged % [95 %] | malicious % [95 %] |',
      '|---|---|---|---|---|---|---|',
    ]
    return rows.length === 0 ? [] : [`## ${title}`, ...head, ...rows, '']
  })
  const { median, p90, p99, max } = cpu_ms
  return [
    ...lines,
    ...listed('Signals with points on benign pages', benign_signals),
    ...listed('Technologies on benign pages', benign_technologies),
    ...listed('Encodings of benign pages', benign_encodings),
    `${pages} pages, ${checks} checks; CPU of a check: median ${median} ms, p90 ${p90}, p99 ${p99}, most ${max}`,
  ].join('\n')
}

// What `promtool check metrics` says of metrics in the text format: Prometheus' rules for names and types.

interface Family {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly samples: readonly string[]
}

/** Units of the base that abbreviations and multiples stand for. */
const UNITS = /_(?:milliseconds|ms|minutes|hours|days|kilobytes|kb|megabytes|mb|bits|percent)(?:_|$)/
/** Names of the samples of histograms and summaries. */
const PARTS = /_(?:count|sum|bucket)$/

const rules: readonly (readonly [fault: string, test: (family: Family) => boolean])[] = [
  ['has no help', ({ help }) => help === ''],
  [
    'is a counter whose name does not end in _total',
    ({ name, type }) => type === 'counter' && !name.endsWith('_total'),
  ],
  ['is no counter, but its name ends in _total', ({ name, type }) => type !== 'counter' && name.endsWith('_total')],
  ['has its type in its name', ({ name }) => /_(?:counter|gauge|histogram|summary)(?:_|$)/.test(name)],
  ['has a colon, which is for rules', ({ name }) => name.includes(':')],
  ['is not snake_case', ({ name }) => /[a-z][A-Z]/.test(name)],
  ['has no base unit', ({ name }) => UNITS.test(name)],
  ['ends as a part of a histogram', ({ name, type }) => type !== 'histogram' && type !== 'summary' && PARTS.test(name)],
  ['has a type that is not known', ({ type }) => !['counter', 'gauge', 'histogram', 'summary'].includes(type)],
  ['has a sample twice', ({ samples }) => new Set(samples).size < samples.length],
]

function familiesOf(text: string): readonly Family[] {
  const found = new Map<string, { name: string; type: string; help: string; samples: string[] }>()
  const of = (name: string) => {
    const family = found.get(name) ?? { name, type: '', help: '', samples: [] }
    found.set(name, family)
    return family
  }
  for (const line of text.split('\n')) {
    const [, word, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? []
    if (word === 'HELP') of(name).help = rest
    else if (word === 'TYPE') of(name).type = rest
    else if (line !== '') {
      const [, series = '', own = ''] = /^(([^{ ]+)(?:\{.*\})?) /.exec(line) ?? []
      of(found.has(own) ? own : own.replace(PARTS, '')).samples.push(series)
    }
  }
  return [...found.values()]
}

/** Each fault with the name of its metric. */
export const metricFaults = (text: string): readonly string[] =>
  familiesOf(text).flatMap(family =>
    rules.flatMap(([fault, test]) => (test(family) ? [`${family.name} ${fault}`] : [])),
  )

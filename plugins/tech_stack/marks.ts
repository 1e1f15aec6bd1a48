// Short constructors for the patterns in the fingerprint tables.
import type { Category } from './categories.ts'
import type { Fingerprint, How, Mark, Place } from './fingerprint.ts'

type Extra = Partial<Pick<Mark, 'path' | 'exact_case' | 'version' | 'version_required' | 'confidence'>>

const mark = (place: Place, how: How, text: string, extra: Extra = {}, name = ''): Mark => ({
  in: place,
  name,
  how,
  text,
  path: '',
  exact_case: false,
  version: null,
  version_required: false,
  confidence: 100,
  ...extra,
})

/** The header exists and its value starts with the text. */
export const header = (name: string, text = '', extra?: Extra) => mark('header', 'starts', text, extra, name)
export const headerIs = (name: string, text: string) => mark('header', 'is', text, {}, name)
export const headerWith = (name: string, text: string, extra?: Extra) => mark('header', 'has', text, extra, name)
/** The Server header: the product's name, or name and version. */
export const server = (product: string) => [header('server', product), header('server', `${product}/`, { version: '' })]
export const meta = (name: string, text = '', extra?: Extra) => mark('meta', 'starts', text, extra, name)
/** The page's generator; the version follows after a space unless given otherwise. */
export const generator = (text: string, version: string | null = ' ') => meta('generator', text, { version })
export const generatorWith = (text: string) => mark('meta', 'has', text, {}, 'generator')

export const cookie = (text: string, extra?: Extra) => mark('cookie', 'is', text, extra)
export const cookies = (beginning: string, extra?: Extra) => mark('cookie', 'starts', beginning, extra)

export const resource = (text: string, extra?: Extra) => mark('resource', 'has', text, extra)
/** Something is loaded from this host or a host below it. */
export const from = (host: string, extra?: Extra) => mark('resource', 'within', host, extra)
export const file = (beginning: string, extra?: Extra) => mark('file', 'starts', beginning, extra)
export const formTo = (text: string, extra?: Extra) => mark('form', 'has', text, extra)
export const inline = (text: string, extra?: Extra) => mark('inline', 'has', text, extra)

/** A library, by package and by file name: `name.js`, `name.min.js`, `name-1.2.3.js`. */
export const library = (pack: string, stem: string | null = pack): Mark[] => [
  mark('package', 'starts', `${pack}@`, { version: '' }),
  ...(stem === null
    ? []
    : [
        mark('file', 'starts', `${stem}.js`),
        mark('file', 'starts', `${stem}.min.js`),
        mark('file', 'starts', `${stem}-`, { version: '', version_required: true }),
      ]),
]
export const packaged = (pack: string) => mark('package', 'starts', `${pack}@`, { version: '' })

export const className = (text: string, extra?: Extra) => mark('class', 'is', text, extra)
export const classes = (beginning: string, extra?: Extra) => mark('class', 'starts', beginning, extra)
export const id = (text: string, extra?: Extra) => mark('id', 'is', text, extra)
export const attribute = (text: string, extra?: Extra) => mark('attribute', 'is', text, extra)
export const attributes = (beginning: string, extra?: Extra) => mark('attribute', 'starts', beginning, extra)
export const element = (text: string, extra?: Extra) => mark('element', 'is', text, extra)
export const comment = (text: string, extra?: Extra) => mark('comment', 'has', text, extra)

export const cname = (name: string, extra?: Extra) => mark('cname', 'within', name, extra)
export const ns = (name: string, extra?: Extra) => mark('ns', 'within', name, extra)
/** Name servers with a number inside a label: `ns-12.awsdns-34.com`. */
export const nsWith = (text: string, extra?: Extra) => mark('ns', 'has', text, extra)
export const mx = (name: string, extra?: Extra) => mark('mx', 'within', name, extra)
export const txt = (beginning: string, extra?: Extra) => mark('txt', 'starts', beginning, extra)
export const spf = (name: string, extra?: Extra) => mark('spf', 'within', name, extra)

/** A table of one category: name, patterns, implied technologies. */
export const technologies = (
  category: Category,
  rows: readonly (readonly [name: string, marks: readonly Mark[], implies?: readonly string[]])[],
): readonly Fingerprint[] =>
  rows.map(([name, marks, implies = []]) => ({ name, category, marks: [...marks], implies: [...implies] }))

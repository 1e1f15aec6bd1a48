// Short constructors for the patterns in the fingerprint tables.
import type { Category } from './categories.ts'
import type { Fingerprint, How, Pattern, Place } from './fingerprint.ts'

type Extra = Partial<Pick<Pattern, 'path' | 'exact_case' | 'version' | 'version_required' | 'confidence'>>

const pattern = (place: Place, how: How, text: string, extra: Extra = {}, name = ''): Pattern => ({
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
export const header = (name: string, text = '', extra?: Extra) => pattern('header', 'starts', text, extra, name)
export const headerIs = (name: string, text: string) => pattern('header', 'is', text, {}, name)
export const headerWith = (name: string, text: string, extra?: Extra) => pattern('header', 'has', text, extra, name)
/** The Server header: the product's name, or name and version. */
export const server = (product: string) => [header('server', product), header('server', `${product}/`, { version: '' })]
export const meta = (name: string, text = '', extra?: Extra) => pattern('meta', 'starts', text, extra, name)
/** The page's generator; the version follows after a space unless given otherwise. */
export const generator = (text: string, version: string | null = ' ') => meta('generator', text, { version })
export const generatorWith = (text: string) => pattern('meta', 'has', text, {}, 'generator')

export const cookie = (text: string, extra?: Extra) => pattern('cookie', 'is', text, extra)
export const cookies = (beginning: string, extra?: Extra) => pattern('cookie', 'starts', beginning, extra)

export const resource = (text: string, extra?: Extra) => pattern('resource', 'has', text, extra)
/** Something is loaded from this host or a host below it. */
export const from = (host: string, extra?: Extra) => pattern('resource', 'within', host, extra)
export const file = (beginning: string, extra?: Extra) => pattern('file', 'starts', beginning, extra)
export const formTo = (text: string, extra?: Extra) => pattern('form', 'has', text, extra)
/** A field of the product's own forms has this name or id. */
export const field = (text: string, extra?: Extra) => pattern('field', 'is', text, extra)
export const inline = (text: string, extra?: Extra) => pattern('inline', 'has', text, extra)

/** A library, by package and by file name: `name.js`, `name.min.js`, `name-1.2.3.js`. */
export const library = (pack: string, stem: string | null = pack): Pattern[] => [
  pattern('package', 'starts', `${pack}@`, { version: '' }),
  ...(stem === null
    ? []
    : [
        pattern('file', 'starts', `${stem}.js`),
        pattern('file', 'starts', `${stem}.min.js`),
        pattern('file', 'starts', `${stem}-`, { version: '', version_required: true }),
      ]),
]
export const packaged = (pack: string) => pattern('package', 'starts', `${pack}@`, { version: '' })

export const className = (text: string, extra?: Extra) => pattern('class', 'is', text, extra)
export const classes = (beginning: string, extra?: Extra) => pattern('class', 'starts', beginning, extra)
export const id = (text: string, extra?: Extra) => pattern('id', 'is', text, extra)
export const attribute = (text: string, extra?: Extra) => pattern('attribute', 'is', text, extra)
export const attributes = (beginning: string, extra?: Extra) => pattern('attribute', 'starts', beginning, extra)
export const element = (text: string, extra?: Extra) => pattern('element', 'is', text, extra)
export const comment = (text: string, extra?: Extra) => pattern('comment', 'has', text, extra)

export const cname = (name: string, extra?: Extra) => pattern('cname', 'within', name, extra)
export const ns = (name: string, extra?: Extra) => pattern('ns', 'within', name, extra)
/** Name servers with a number inside a label: `ns-12.awsdns-34.com`. */
export const nsWith = (text: string, extra?: Extra) => pattern('ns', 'has', text, extra)
export const mx = (name: string, extra?: Extra) => pattern('mx', 'within', name, extra)
export const txt = (beginning: string, extra?: Extra) => pattern('txt', 'starts', beginning, extra)
export const spf = (name: string, extra?: Extra) => pattern('spf', 'within', name, extra)

/** A table of one category: name, patterns, implied technologies. */
export const technologies = (
  category: Category,
  rows: readonly (readonly [name: string, marks: readonly Pattern[], implies?: readonly string[]])[],
): readonly Fingerprint[] =>
  rows.map(([name, marks, implies = []]) => ({ name, category, marks: [...marks], implies: [...implies] }))

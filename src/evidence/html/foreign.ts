// Where a page's markup is a drawing's or a formula's (HTML, "the rules for parsing tokens in foreign content"): there
// `<style>` holds markup, `<template>` hides nothing, and `/>` ends an element.
import type { Attributes } from './tag_stream.ts'

export interface ForeignContent {
  /** The next element is SVG's or MathML's, unless it leads out. */
  isForeign(): boolean
  /** Answers whether the element is foreign. `empty`: its tag ends in `/>`. */
  open(name: string, attributes: Attributes, empty: boolean): boolean
  close(name: string): void
  /** Where the markup stands now; what is done to return there. */
  mark(): () => void
}

/** Elements whose content is HTML again. */
const integration: Readonly<Record<string, ReadonlySet<string>>> = {
  svg: new Set(['foreignobject', 'desc', 'title']),
  math: new Set(['mi', 'mo', 'mn', 'ms', 'mtext', 'annotation-xml']),
}

/** Elements of HTML that end all that is foreign around them. */
const leadingOut: ReadonlySet<string> = new Set([
  ...['b', 'big', 'blockquote', 'body', 'br', 'center', 'code', 'dd', 'div', 'dl', 'dt', 'em', 'embed', 'h1', 'h2'],
  ...['h3', 'h4', 'h5', 'h6', 'head', 'hr', 'i', 'img', 'li', 'listing', 'menu', 'meta', 'nobr', 'ol', 'p', 'pre'],
  ...['ruby', 's', 'small', 'span', 'strong', 'strike', 'sub', 'sup', 'table', 'tt', 'u', 'ul', 'var'],
])
const fontAttributes = ['color', 'face', 'size']

/** Roots and HTML parts within each other that are told apart. */
const depth = 64

export function createForeignContent(): ForeignContent {
  /** Open `svg`, `math`, and the HTML parts in them. */
  const open: string[] = []
  const parts = () => (open.length === 0 ? undefined : integration[open.at(-1) ?? ''])
  const isForeign = () => parts() !== undefined
  const leave = () => {
    while (isForeign()) open.pop()
  }
  const isRoot = (name: string) => Object.hasOwn(integration, name)

  return {
    isForeign,
    open(name, attributes, empty) {
      const inside = parts()
      if (inside && leadsOut(name, attributes)) {
        leave()
        return false
      }
      const isNoted = isRoot(name) ? !inside || name === open.at(-1) : inside?.has(name) && isHtml(name, attributes)
      if (isNoted && !empty && open.length < depth) open.push(name)
      return inside !== undefined || isRoot(name)
    },
    close(name) {
      if (isForeign() && (name === 'p' || name === 'br')) return leave()
      const at = open.lastIndexOf(name)
      if (at !== -1) open.length = at
    },
    mark() {
      const marked = [...open]
      return () => void open.splice(0, open.length, ...marked)
    },
  }
}

const leadsOut = (name: string, attributes: Attributes): boolean =>
  leadingOut.has(name) || (name === 'font' && fontAttributes.some(attributes.has))

/** An annotation says whether it is. */
const isHtml = (name: string, attributes: Attributes): boolean =>
  name !== 'annotation-xml' ||
  ['text/html', 'application/xhtml+xml'].includes(attributes.get('encoding')?.toLowerCase() ?? '')

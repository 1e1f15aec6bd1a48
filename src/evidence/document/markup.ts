// The marks that frameworks leave in markup: ids, classes, attribute names and elements of their own.
import { bounds } from './bounds.ts'
import { clean } from './clean.ts'
import type { Collected, Marks } from './collected.ts'
import type { Attributes } from './tag_stream.ts'

/** Attributes of the HTML standard tell nothing; those of others have one of these in their name. */
const foreign = /[-:@_]/

export function noteMarkup(page: Collected, element: string, attributes: Attributes): void {
  if (element.includes('-')) note(page.elements, element)
  for (const name of attributes.names) {
    if (name === 'id') note(page.ids, attributes.get(name) ?? '')
    else if (name === 'class') noteClasses(page, attributes.get(name) ?? '')
    else if (name === 'data-cfemail') noteCloaked(page.cloakedEmails, attributes.get(name) ?? '')
    else if (foreign.test(name)) note(page.attributes, name)
  }
}

/** What an entry of a list costs beside its text. */
export const ENTRY = 16

function note(marks: Marks, text: string): void {
  if (marks.left <= 0 || text === '' || marks.texts.has(text)) return
  const kept = clean(text, bounds.name)
  if (marks.texts.has(kept)) return
  marks.texts.add(kept)
  marks.left -= kept.length + ENTRY
}

/** The same few lists of classes come again and again on a page: each is taken apart once. */
function noteClasses({ classLists, classes }: Collected, value: string): void {
  if (classes.left <= 0 || classLists.size >= bounds.classLists || classLists.has(value)) return
  classLists.add(value)
  for (const one of value.slice(0, bounds.classList).split(/\s+/)) note(classes, one)
}

/** Hexadecimal: a key octet and an address of at most 254. */
function noteCloaked(emails: Set<string>, value: string): void {
  if (emails.size < bounds.contacts && /^[0-9a-f]{4,510}$/i.test(value)) emails.add(value.toLowerCase())
}

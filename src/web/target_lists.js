// Lists of names that the reader keeps in this browser: read from pasted text, stored, and nothing else with them.
import { nameWithin, targetOf } from './target.js'
import { mailDomain, refang } from './typed_text.js'

/**
 * @typedef {object} TargetList
 * @property {string} name
 * @property {readonly string[]} targets names and addresses
 */

/** Most names of a list: each costs a few requests when it is shown. */
export const LONGEST = 500

/** What can be a name or an address; the service says what is wrong with the rest. */
const READABLE = /^(?=.{3,253}$)(?:[^\s/@:]+\.[^\s/@:]+|[\da-f:.]*:[\da-f:.]*)$/i

/** @param {string} text */
function nameIn(text) {
  const value = mailDomain(text) ?? nameWithin(refang(text)) ?? targetOf(text)?.value ?? ''
  const name = value.toLowerCase().replace(/\.$/, '')
  return READABLE.test(name) ? name : null
}

/**
 * The names and addresses in pasted text, each once: lines, columns of a spreadsheet, links and e-mail addresses. `left` has all
 * other text, and names beyond the limit of a list.
 * @param {string} text
 */
export function readNames(text) {
  /** @type {Set<string>} */
  const targets = new Set()
  /** @type {string[]} */
  const rest = []
  for (const word of text.split(/[\s,;"'<>]+/).filter(part => part !== '')) {
    const name = nameIn(word)
    if (name !== null && (targets.has(name) || targets.size < LONGEST)) targets.add(name)
    else rest.push(word)
  }
  return { targets: [...targets], left: rest }
}

/** In the storage of this browser, until the reader removes it. */
const NAME = 'assay-lists'

const isText = (/** @type {unknown} */ value) => typeof value === 'string'

/** What was stored, or nothing if somebody else changed it. @param {string | null} text @returns {TargetList[]} */
export function parseLists(text) {
  try {
    const lists = JSON.parse(text ?? '[]')
    return Array.isArray(lists)
      ? lists.filter(one => isText(one?.name) && Array.isArray(one.targets) && one.targets.every(isText))
      : []
  } catch {
    return []
  }
}

/** Empty as well where the browser forbids storage. */
export function storedLists() {
  try {
    return parseLists(localStorage.getItem(NAME))
  } catch {
    return []
  }
}

/** Whether the browser keeps them. Without lists, nothing stays. @param {readonly TargetList[]} lists */
export function storeLists(lists) {
  try {
    if (lists.length === 0) localStorage.removeItem(NAME)
    else localStorage.setItem(NAME, JSON.stringify(lists))
    return true
  } catch {
    return false
  }
}

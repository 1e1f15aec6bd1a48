// Makes elements. Text only ever becomes text nodes; attributes are this page's own.
import { visible } from '../base/visible.js'

const SVG = 'http://www.w3.org/2000/svg'

/** @typedef {Node | string | null | false} Child */
/** @typedef {Readonly<Record<string, string | number | boolean>>} Attributes */

/**
 * @template {Element} Made
 * @param {Made} node
 * @param {Attributes} attributes
 * @param {readonly Child[]} children
 */
function furnish(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) node.setAttribute(name, value === true ? '' : String(value))
  }
  node.append(...children.filter(child => child !== null && child !== false))
  return node
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes] `false` leaves one out
 * @param {readonly Child[]} children
 */
export const element = (tag, attributes = {}, ...children) => furnish(document.createElement(tag), attributes, children)

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {readonly Child[]} children
 */
export const svg = (tag, attributes = {}, ...children) =>
  furnish(document.createElementNS(SVG, tag), attributes, children)

/**
 * Untrusted text: isolated, so that its direction affects nothing else, and with invisible characters shown.
 * @param {string} text
 */
export const foreign = text => element('bdi', { class: 'foreign' }, visible(text))

/**
 * An element of the page as it was delivered.
 * @template {HTMLElement} [Found=HTMLElement]
 * @param {string} id
 * @returns {Found}
 */
export function byId(id) {
  const node = document.getElementById(id)
  if (node === null) throw new Error(`the page has no #${id}`)
  return /** @type {Found} */ (node)
}

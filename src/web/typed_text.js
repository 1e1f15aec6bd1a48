// What was typed or pasted, where it is not yet a target: how it is read, and what can be checked instead.

/**
 * @typedef {object} Offer
 * @property {string} label before the value
 * @property {string} value for the field
 */

/**
 * @typedef {object} Reading
 * @property {string} note
 * @property {readonly Offer[]} offers the likeliest first
 */

/** Ways to write a link so that nobody opens it by accident, with what each stands for. */
const DEFANGINGS = /** @type {const} */ ([
  [/^(?:hxxp|h\*\*p|htxp|hXXp)(s?)(?=\[?:)/i, 'http$1'],
  [/\[:\/\/\]|\[:\]\/\//g, '://'],
  [/\s?(?:\[\.\]|\(\.\)|\{\.\}|\[dot\]|\(dot\)|\{dot\}|\[\.|\.\])\s?/gi, '.'],
  [/\s?(?:\[@\]|\(@\)|\[at\]|\(at\))\s?/gi, '@'],
])

/** The text as it is meant; unchanged if it is not defanged. @param {string} input */
export const refang = input => DEFANGINGS.reduce((text, [mark, plain]) => text.replace(mark, plain), input.trim())

/** An address in brackets as links have it, without them. @param {string} text */
export const unbracket = text => /^\[([\da-f:.]+)\]$/i.exec(text.trim())?.[1] ?? text.trim()

/** What is before the @ may be missing: only the domain is ever kept. */
const MAIL = /^(?:mailto:)?([^\s@/:]*)@([^\s@/:?]+)(?:\?\S*)?$/i
const ADDRESS_WITH_PORT = /^\[([\da-f:.]+)\]:\d{1,5}$/i
const NAME_WITH_MORE = /^([a-z\d_.\u0080-\uffff-]+\.[a-z\d\u0080-\uffff-]+)(:\d{1,5})?([/?#]\S*)?$/i

/** The domain of an e-mail address; null for anything else. @param {string} text */
export const mailDomain = text => MAIL.exec(refang(text))?.[2] ?? null

/**
 * Null for what can be checked as it is, and for what cannot be read at all: the service says what is wrong with it.
 * @param {string} text
 * @returns {Reading | null}
 */
export function readingOf(text) {
  const plainText = refang(text)
  const [, local, domain] = MAIL.exec(plainText) ?? []
  if (local === '') return null
  if (domain !== undefined)
    return {
      note: 'This is an e-mail address. Its domain is checked, and whether it receives mail; the part before the @ is not sent.',
      offers: [],
    }
  if (plainText !== text.trim())
    return {
      note: 'This is written so that it cannot be opened by accident. It will be checked as:',
      offers: [{ label: 'Check', value: plainText }],
    }
  const address = ADDRESS_WITH_PORT.exec(plainText)?.[1]
  if (address !== undefined)
    return { note: 'An address is checked without a port.', offers: [{ label: 'Check', value: address }] }
  const [, name = '', port = '', path = ''] = NAME_WITH_MORE.exec(plainText) ?? []
  if (port + path === '') return null
  const link = { label: 'Check the page', value: `https://${plainText}` }
  const host = { label: 'Check the host', value: name }
  return {
    note: 'This is a name with something behind it. To check a page, write the link with https:// in front.',
    offers: path === '' ? [host] : [link, host],
  }
}

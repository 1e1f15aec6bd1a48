// The result as received, to copy and to download.

import { visibleJson } from '../base/visible.js'
import { element } from './element.js'

/**
 * @param {string} text the response exactly as received
 * @param {string} name file name of the download
 * @param {(message: string) => void} announce
 */
export function raw(text, name, announce) {
  const jsonBlock = element(
    'pre',
    { tabindex: 0, role: 'region', 'aria-label': 'Result as JSON' },
    visibleJson(JSON.parse(text)),
  )
  const copy = element('button', { type: 'button', class: 'quiet' }, 'Copy')
  const download = element('button', { type: 'button', class: 'quiet' }, 'Download')
  copy.addEventListener('click', () => copyText(text, jsonBlock, announce))
  download.addEventListener('click', () => downloadText(text, name, 'application/json'))
  return element(
    'details',
    { class: 'raw' },
    element('summary', {}, 'The result as JSON'),
    element('p', { class: 'actions' }, copy, download),
    jsonBlock,
  )
}

/**
 * Copies the text, or selects it if the browser does not allow a page to copy.
 * @param {string} text
 * @param {HTMLElement} source
 * @param {(message: string) => void} announce
 */
export async function copyText(text, source, announce) {
  try {
    await navigator.clipboard.writeText(text)
    announce('Copied.')
  } catch {
    getSelection()?.selectAllChildren(source)
    announce('The text is selected. Copy it with your keyboard.')
  }
}

/** Milliseconds until the browser has taken the downloaded object. */
const DOWNLOAD_MS = 10_000

/** @type {(text: string, name: string, type: string) => void} */
export function downloadText(text, name, type) {
  const url = URL.createObjectURL(new Blob([text], { type }))
  element('a', { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), DOWNLOAD_MS)
}

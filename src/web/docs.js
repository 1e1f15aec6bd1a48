// The script of the documentation: copy buttons, this service's own address in the examples, and folds that open for the
// field in the URL.
import { copyText } from './copy_and_download.js'
import { element } from './element.js'

const EXAMPLE_ORIGIN = 'http://127.0.0.1:8080'

const status = element('p', { class: 'unseen', role: 'status' })
document.body.append(status)

const announce = (/** @type {string} */ message) => {
  status.textContent = message
}

for (const figure of document.querySelectorAll('figure.code')) {
  const code = figure.querySelector('code')
  const caption = figure.querySelector('figcaption')
  if (code === null || caption === null) continue
  code.textContent = code.textContent.replaceAll(EXAMPLE_ORIGIN, location.origin)
  const copy = element(
    'button',
    { type: 'button', class: 'quiet' },
    'Copy',
    element('span', { class: 'unseen' }, ` the ${caption.textContent} example`),
  )
  copy.addEventListener('click', () => copyText(code.textContent, code, announce))
  caption.append(copy)
}

for (const link of document.querySelectorAll(`a[href^="${EXAMPLE_ORIGIN}"]`)) {
  link.setAttribute('href', (link.getAttribute('href') ?? '').replace(EXAMPLE_ORIGIN, location.origin))
  link.textContent = (link.textContent ?? '').replace(EXAMPLE_ORIGIN, location.origin)
}

// The map is longer than the window: it scrolls by itself, and the page stays at its beginning.
const map = document.querySelector('.map')
const current = map?.querySelector('[aria-current]')
if (map instanceof HTMLElement && current instanceof HTMLElement) {
  map.scrollTop = current.offsetTop - map.offsetTop - map.clientHeight / 2
}

/** Where the fields and problems of the reference were before it was one page of several. */
if (location.pathname === '/docs' && /^#(?:result|problem)-/.test(location.hash)) {
  location.replace(`/docs/reference${location.hash}`)
}

/** The browser cannot scroll to a folded field. */
function unfold() {
  const section = document.getElementById(location.hash.slice(1))
  const fold = section?.closest('details')
  if (section === null || fold == null) return
  fold.open = true
  section.scrollIntoView()
}

window.addEventListener('hashchange', unfold)
window.addEventListener('beforeprint', () => {
  for (const fold of document.querySelectorAll('details')) fold.open = true
})
unfold()

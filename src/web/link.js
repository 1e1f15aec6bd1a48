// What the page says below the field while something is typed: how it is read, and for a link the choice to open it once, not
// to open it, or to check its host alone.
import { byId, element, foreign } from './element.js'
import { linkHost } from './target.js'
import { readingOf, refang } from './typed_text.js'

/**
 * Shows the choices while the field holds a link, and offers while it holds something else than a target.
 * @param {HTMLInputElement} target
 * @param {(message: string) => void} announce
 * @param {(value: string) => void} check checks a value that was offered
 */
export function linkChoices(target, announce, check) {
  const [box, host, reading] = [byId('link'), byId('link-host'), byId('reading')]
  const noVisitBox = /** @type {HTMLInputElement} */ (byId('no-visit'))

  function update() {
    const name = linkHost(refang(target.value))
    if (box.hidden && name !== null) announce(byId('link-note').textContent)
    box.hidden = name === null
    if (name === null) noVisitBox.checked = false
    else host.replaceChildren('Check only ', foreign(name))
    read()
  }

  function read() {
    const linkReading = readingOf(target.value)
    if (reading.hidden && linkReading !== null) announce(linkReading.note)
    reading.hidden = linkReading === null
    reading.replaceChildren(
      ...(linkReading === null ? [] : [element('p', { class: 'note' }, linkReading.note), ...offers(linkReading)]),
    )
  }

  /** @param {import('./typed_text.js').Reading} linkReading */
  const offers = linkReading =>
    linkReading.offers.map(({ label, value }) => {
      const button = element('button', { type: 'button', class: 'quiet' }, `${label} `, foreign(value))
      button.addEventListener('click', () => check(value))
      return button
    })

  target.addEventListener('input', update)
  host.addEventListener('click', () => {
    target.value = linkHost(refang(target.value)) ?? target.value
    update()
    target.focus()
  })
  return { update, mayVisit: () => !noVisitBox.checked }
}

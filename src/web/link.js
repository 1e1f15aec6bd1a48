// What the page says about a link, and offers: to open it once, not to open it, or to check its host alone.
import { byId, foreign } from './element.js'
import { linkHost } from './target.js'

/**
 * Shows the choices while the field holds a link.
 * @param {HTMLInputElement} target
 * @param {(message: string) => void} announce
 */
export function linkChoices(target, announce) {
  const [box, host] = [byId('link'), byId('link-host')]
  const unvisited = /** @type {HTMLInputElement} */ (byId('no-visit'))

  function update() {
    const name = linkHost(target.value)
    if (box.hidden && name !== null) announce(byId('link-note').textContent)
    box.hidden = name === null
    if (name === null) unvisited.checked = false
    else host.replaceChildren('Check only ', foreign(name))
  }

  target.addEventListener('input', update)
  host.addEventListener('click', () => {
    target.value = linkHost(target.value) ?? target.value
    update()
    target.focus()
  })
  return { update, mayVisit: () => !unvisited.checked }
}

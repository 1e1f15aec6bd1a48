// The key: in its field only, unless the reader asks to keep it for the tab.
import { byId } from './element.js'

/** In the storage of the tab, which ends with it. */
const NAME = 'assay-key'

/** Browsers may forbid storage. @template Result @param {(storage: Storage) => Result} use */
function withStorage(use) {
  try {
    return use(sessionStorage)
  } catch {
    return null
  }
}

/**
 * @param {HTMLInputElement} key
 * @param {(message: string) => void} announce
 */
export function keepKey(key, announce) {
  const keep = /** @type {HTMLInputElement} */ (byId('keep-key'))
  const forget = byId('forget-key')

  function store() {
    const text = key.value.trim()
    withStorage(storage => (keep.checked && text !== '' ? storage.setItem(NAME, text) : storage.removeItem(NAME)))
    forget.hidden = !keep.checked
  }

  function reveal() {
    const isShown = key.type === 'text'
    key.type = isShown ? 'password' : 'text'
    byId('show-key').setAttribute('aria-pressed', String(!isShown))
  }

  keep.addEventListener('change', store)
  key.addEventListener('input', store)
  byId('show-key').addEventListener('click', reveal)
  forget.addEventListener('click', () => {
    key.value = ''
    keep.checked = false
    store()
    announce('The key is forgotten.')
    key.focus()
  })

  const storedKey = withStorage(storage => storage.getItem(NAME))
  // Browsers may restore the box without the key.
  keep.checked = storedKey !== null
  if (storedKey !== null) key.value = storedKey
  store()
}

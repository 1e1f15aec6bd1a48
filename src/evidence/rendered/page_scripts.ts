// What runs in the page: a watch in its own world before its scripts, and a reader in a world of ours afterwards, which it cannot see.
// As text, because it is sent to the browser as it is.

/** Characters of a text that a page writes to the clipboard. */
const CLIPBOARD_LENGTH = 1_024

/**
 * Tells `binding` what the page writes to the clipboard, and takes from it what no visit needs: workers that outlive pages. A page
 * can call the binding itself; that, too, is what the page does.
 */
export const watchScript = (binding: string): string => `(() => {
  const tell = globalThis[${JSON.stringify(binding)}]
  delete globalThis[${JSON.stringify(binding)}]
  if (typeof tell !== 'function') return
  const copied = text => { try { tell(String(text).slice(0, ${CLIPBOARD_LENGTH})) } catch {} }
  try { delete Navigator.prototype.serviceWorker } catch {}
  try {
    const { writeText } = Clipboard.prototype
    Clipboard.prototype.writeText = function (text) { copied(text); return writeText.call(this, text) }
  } catch {}
  try {
    const { setData } = DataTransfer.prototype
    DataTransfer.prototype.setData = function (type, text) {
      if (/^text/i.test(type)) copied(text)
      return setData.call(this, type, text)
    }
    const { execCommand } = Document.prototype
    Document.prototype.execCommand = function (name, ...rest) {
      if (/^(?:copy|cut)$/i.test(name)) {
        const field = this.activeElement
        const text = field && typeof field.value === 'string'
          ? field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? undefined)
          : String(getSelection())
        if (text) copied(text)
      }
      return execCommand.call(this, name, ...rest)
    }
  } catch {}
})()`

/** Characters of the document and of the text that are read. */
const DOCUMENT = 2 * 1024 * 1024
const TEXT = 32 * 1024
/** Elements that are looked at: a page with more is read as far as that. */
const ELEMENTS = 30_000

/** The document as it is drawn, as JSON: `PageReading`. What is not drawn gets the attribute \`hidden\`, for the parser to see. */
export const READ_PAGE = `(() => {
  const root = document.documentElement
  if (!root) return JSON.stringify({ html: '', title: '', text: '', fields: 0, passwords: 0, buttons: 0, cut: false })
  const drawn = element => element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true })
  const roots = []
  const hide = []
  let left = ${ELEMENTS}
  let fields = 0, passwords = 0, buttons = 0
  const walk = node => {
    for (let at = node.firstElementChild; at && left > 0; at = at.nextElementSibling) {
      left -= 1
      const name = at.localName
      if (name === 'script' || name === 'style' || name === 'template' || name === 'noscript') continue
      if (!drawn(at) && getComputedStyle(at).display !== 'contents') {
        hide.push(at)
        continue
      }
      if (name === 'input' || name === 'select' || name === 'textarea' || name === 'button') {
        const { width, height } = at.getBoundingClientRect()
        const pressed = name === 'button' || /^(?:submit|button|reset|image)$/.test(at.type)
        if (width > 2 && height > 2 && at.type !== 'hidden') {
          if (pressed) buttons += 1
          else fields += 1
          if (at.type === 'password') passwords += 1
        }
      }
      if (at.shadowRoot) {
        roots.push(at.shadowRoot)
        walk(at.shadowRoot)
      }
      walk(at)
    }
  }
  if (document.body) walk(document.body)
  const text = (document.body?.innerText ?? '').slice(0, ${TEXT})
  for (const element of hide) element.setAttribute('hidden', '')
  const inner = root.getHTML({ shadowRoots: roots })
  let tag = '<html'
  for (const { name, value } of root.attributes) tag += ' ' + name + '="' + value.replaceAll('"', '&quot;') + '"'
  const type = document.doctype ? '<!doctype ' + document.doctype.name + '>' : ''
  const html = (type + tag + '>' + inner).slice(0, ${DOCUMENT})
  const cut = left <= 0 || html.length === ${DOCUMENT}
  return JSON.stringify({ html, title: document.title.slice(0, 512), text, fields, passwords, buttons, cut })
})()`

/** What \`READ_PAGE\` returns. */
export interface PageReading {
  readonly html: string
  readonly title: string
  /** The text as it is drawn. */
  readonly text: string
  /** What is drawn of each kind. */
  readonly fields: number
  readonly passwords: number
  readonly buttons: number
  /** The page has more. */
  readonly cut: boolean
}

// Forms: what they ask for, and every place they may be sent to.
import { text } from './attributes.ts'
import { bounds } from './bounds.ts'
import type { Collected } from './collected.ts'
import type { Reader } from './reader.ts'
import type { Attributes } from './tag_stream.ts'

/** Within an open form there is no other, and the first end tag ends it (HTML section 13.2.6.4.7). */
const form: Reader = {
  /** A form within another is none: what follows it is the outer one's (HTML, "form element pointer"). */
  open(page, attributes) {
    if (page.into.form !== null || page.forms.length >= bounds.forms) return
    page.into.form = {
      action: text(attributes, 'action', bounds.url),
      formactions: [],
      method: (text(attributes, 'method', bounds.name) ?? 'get').toLowerCase(),
      inputs: [],
    }
    page.forms.push(page.into.form)
  },
  close(page) {
    page.into.form = null
  },
}

const input: Reader = {
  open(page, attributes) {
    const inputs = page.into.form?.inputs ?? page.looseInputs
    const type = typeOf(attributes) || 'text'
    if (inputs.length < bounds.inputs) inputs.push(type)
    if (type === 'submit' || type === 'image') noteAction(page, attributes)
  },
}

/** A button submits unless it says otherwise (HTML, the button element's `type`). */
const button: Reader = {
  open(page, attributes) {
    const type = typeOf(attributes)
    if (type !== 'button' && type !== 'reset') noteAction(page, attributes)
  },
}

const typeOf = (attributes: Attributes): string => text(attributes, 'type', bounds.name)?.toLowerCase() ?? ''

function noteAction({ into }: Collected, attributes: Attributes): void {
  const action = text(attributes, 'formaction', bounds.url)
  if (action !== null && into.form && into.form.formactions.length < bounds.formactions) {
    into.form.formactions.push(action)
  }
}

export const formReaders: readonly (readonly [name: string, reader: Reader])[] = [
  ['form', form],
  ['input', input],
  ['button', button],
]

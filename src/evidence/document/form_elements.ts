// Forms: what they ask for, and every place they may be sent to.
import { text, textOfUrl } from './attributes.ts'
import { bounds } from './bounds.ts'
import type { Collected, CollectedForm } from './collected.ts'
import type { Reader } from './reader.ts'
import type { Attributes } from './tag_stream.ts'

/** Within an open form there is no other, and the first end tag ends it (HTML section 13.2.6.4.7). */
const form: Reader = {
  open(page, attributes) {
    if (page.into.form !== null) return
    const opened: CollectedForm = {
      action: textOfUrl(attributes, 'action', bounds.url),
      formactions: [],
      method: (text(attributes, 'method', bounds.name) ?? 'get').toLowerCase(),
      inputs: [],
    }
    page.into.form = opened
    if (page.forms.length >= bounds.forms) return
    const id = text(attributes, 'id', bounds.string)
    if (id && !page.formsById.has(id)) page.formsById.set(id, opened)
    page.forms.push(opened)
  },
  close(page) {
    page.into.form = null
  },
}

const input: Reader = {
  open(page, attributes) {
    const type = typeOf(attributes) || 'text'
    note(page, attributes, type, type === 'submit' || type === 'image')
  },
}

/** A button submits unless it says otherwise (HTML, the button element's `type`). */
const button: Reader = {
  open(page, attributes) {
    const type = typeOf(attributes)
    note(page, attributes, null, type !== 'button' && type !== 'reset')
  },
}

const typeOf = (attributes: Attributes): string => text(attributes, 'type', bounds.name)?.toLowerCase() ?? ''

function note(page: Collected, attributes: Attributes, input: string | null, submits: boolean): void {
  const formaction = submits ? textOfUrl(attributes, 'formaction', bounds.url) : null
  const owner = text(attributes, 'form', bounds.string)
  if (owner === null || page.strays.length >= bounds.strays) give(page, page.into.form, input, formaction)
  else page.strays.push({ owner, input, formaction })
}

function give(page: Collected, owner: CollectedForm | null, input: string | null, formaction: string | null): void {
  const inputs = owner?.inputs ?? page.looseInputs
  const isFirst = input !== null && isFirstPassword(input, inputs)
  if (input !== null && (isFirst || inputs.length < bounds.inputs)) inputs.push(input)
  if (isFirst && owner && !page.forms.includes(owner) && page.forms.length < bounds.passwordForms)
    page.forms.push(owner)
  if (formaction !== null && owner && owner.formactions.length < bounds.formactions) owner.formactions.push(formaction)
}

/** What matters most is told however many fields and forms stand before it. */
const isFirstPassword = (input: string, inputs: readonly string[]): boolean =>
  input === 'password' && !inputs.includes(input)

/** Fields belong to the form whose `id` their `form` is, and to none when there is no such (HTML section 4.10.17.3). */
export function giveStrays(page: Collected): void {
  for (const { owner, input, formaction } of page.strays.splice(0)) {
    give(page, page.formsById.get(owner) ?? null, input, formaction)
  }
}

export const formReaders: readonly (readonly [name: string, reader: Reader])[] = [
  ['form', form],
  ['input', input],
  ['button', button],
]

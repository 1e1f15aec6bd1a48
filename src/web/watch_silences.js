// What a watch does not report until a date, and the form that silences more.
import { day } from './dates.js'
import { element } from './element.js'

/** What watches report, in words, in the order of the form. */
const MATTERS = /** @type {const} */ ([
  ['recommendation', 'another recommendation'],
  ['verdict', 'another verdict'],
  ['listing', 'blocklists'],
  ['certificate', 'an invalid certificate'],
  ['certificate_expiring', 'a certificate that expires'],
  ['registration_expiring', 'a registration that expires'],
  ['security_txt_expiring', 'a security.txt that expires'],
  ['dnssec_expiring', 'DNSSEC signatures that expire'],
  ['mail', 'weaker protection of mail'],
  ['name_servers', 'other name servers'],
  ['address', 'an address in another network'],
  ['lookalike', 'new look-alikes'],
])

/** @type {(matter: string) => string} */
const matterName = matter => MATTERS.find(([name]) => name === matter)?.[1] ?? matter

/** @type {(matter: string, until: string | null) => string} */
export const silencedWords = (matter, until) =>
  until === null ? `Reported again: ${matterName(matter)}.` : `Not reported until ${day(until)}: ${matterName(matter)}.`

const DAY_MS = 86_400_000

/** @param {number} days */
const inDays = days => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)

/**
 * @param {import('./watches.js').Watch} watch
 * @param {(matter: string, until: string | null) => Promise<void>} silence
 */
export function silences({ watch_id, target, silenced }, silence) {
  const [matterId, dayId] = [`matter-${watch_id}`, `until-${watch_id}`]
  const matter = element(
    'select',
    { id: matterId },
    ...MATTERS.map(([value, name]) => element('option', { value }, name)),
  )
  const until = element('input', {
    id: dayId,
    type: 'date',
    value: inDays(7),
    min: inDays(1),
    max: inDays(365),
    required: true,
  })
  const form = element(
    'form',
    { class: 'silence', 'aria-label': `Silence a matter of the watch of ${target}` },
    element('label', { for: matterId }, 'Do not report'),
    matter,
    element('label', { for: dayId }, 'until'),
    until,
    element('button', { type: 'submit', class: 'quiet' }, 'Silence'),
  )
  form.addEventListener('submit', event => {
    event.preventDefault()
    void silence(matter.value, `${until.value}T00:00:00Z`)
  })
  const lines = silenced.map(one => {
    const again = element(
      'button',
      { type: 'button', class: 'quiet', 'aria-label': `Report again: ${matterName(one.matter)}` },
      'Report again',
    )
    again.addEventListener('click', () => void silence(one.matter, null))
    return element('p', { class: 'note' }, `${silencedWords(one.matter, one.until)} `, again)
  })
  return element('div', {}, ...lines, element('details', {}, element('summary', {}, 'Silence something'), form))
}

// Pictures of the page in a report, as a browser drew them. A hostile page decides what they show, so they are drawn on a canvas: as
// pixels, whatever their octets are, and without a way for pictures from elsewhere into the policy of this page.
import { dateTime } from './dates.js'
import { element, foreign } from './element.js'

/** @typedef {import('./result.js').Result} Result */
/** @typedef {(kind: string) => Promise<Blob>} Load */

/** @type {Readonly<Record<string, string>>} */
const WINDOWS = { desktop: 'on a desktop', phone: 'on a phone' }

/** What is known of a picture, for readers who do not see it. @type {(result: Result, kind: string) => string} */
function altText({ rendered, recommendation, domain, ip }, kind) {
  const title = rendered?.title ? `with the title “${rendered.title}”` : 'without a title'
  return `The page of ${domain ?? ip} ${WINDOWS[kind] ?? kind}, ${title}. Recommendation: ${recommendation}.`
}

/** @type {(result: Result, screenshot: import('./result.js').Screenshot, load: Load) => HTMLElement} */
function figure(result, { kind, width, height }, load) {
  const canvas = element('canvas', { width, height, role: 'img', 'aria-label': altText(result, kind) })
  const caption = element('figcaption', {}, WINDOWS[kind] ?? kind)
  load(kind)
    .then(blob => createImageBitmap(blob))
    .then(bitmap => canvas.getContext('2d')?.drawImage(bitmap, 0, 0))
    .catch(() => {
      canvas.replaceWith(element('p', { class: 'note' }, 'The picture is not kept any more.'))
    })
  return element('figure', { class: kind }, canvas, caption)
}

/** Null without pictures. @type {(result: Result, load: Load) => HTMLElement | null} */
function figures(result, load) {
  const screenshots = result.rendered?.screenshots ?? []
  if (screenshots.length === 0 || result.result_id == null) return null
  return element('div', { class: 'screens' }, ...screenshots.map(one => figure(result, one, load)))
}

/**
 * Pictures of two results side by side, each under its name; null where neither has any.
 * @type {(sides: readonly (readonly [name: string, result: Result])[], picture: (id: string, kind: string) => Promise<Blob>) => HTMLElement | null}
 */
export function picturesBeside(sides, picture) {
  const columns = sides.map(([name, result]) => ({
    name,
    screens: figures(result, kind => picture(result.result_id ?? '', kind)),
  }))
  if (columns.every(({ screens }) => screens === null)) return null
  return element(
    'div',
    { class: 'beside' },
    ...columns.map(({ name, screens }) =>
      element(
        'div',
        {},
        element('p', { class: 'name' }, foreign(name)),
        screens ?? element('p', { class: 'note' }, 'Without a picture.'),
      ),
    ),
  )
}

/** Pictures of the page in a report, with a heading. @type {(result: Result, load: Load) => readonly Node[]} */
export function pictures(result, load) {
  const { rendered, checked_at } = result
  const note = `On ${dateTime(Date.parse(checked_at))}, at `
  const all = figures(result, load)
  return [
    element('h3', { id: 'pictures-title' }, 'What a visitor saw'),
    element(
      'p',
      { class: 'note' },
      note,
      foreign(rendered?.url ?? ''),
      '. The site decides what this shows: do not follow what it says.',
    ),
    ...(all === null ? [] : [all]),
  ]
}

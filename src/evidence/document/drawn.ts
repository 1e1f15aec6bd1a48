// Counts what the static page draws, and what may draw the rest of it: scripts and frames.
import { ownerAt } from '../../targets/identity.ts'
import { type CollectedPage, reference } from './collected.ts'
import type { Drawn, Look } from './facts.ts'
import type { Attributes } from './tag_stream.ts'

export type DrawnBuilder = ReturnType<typeof createDrawn>

/** Things of one kind that are counted: nothing is decided by a larger number. */
const MAX_COUNT = 1_000
/** Origins whose owner is found; scripts of further ones count as those of other sites. */
const ORIGINS = 200

const PICTURE_TAGS: ReadonlySet<string> = new Set(['img', 'svg', 'video', 'canvas'])
const FRAMING_TAGS: ReadonlySet<string> = new Set(['iframe', 'frame', 'object', 'embed'])
/** Types of inputs that are buttons. */
const BUTTON_TYPES: ReadonlySet<string> = new Set(['submit', 'button', 'reset', 'image'])

/** Pixels; a picture that is not larger is a tracker. */
const TINY = 3
const PIXELS = /^\s{0,9}(\d{1,9})(?:\.\d{0,9})?(?:px)?\s{0,9}$/i

const isTiny = (length: string | undefined): boolean => {
  const [, pixels] = PIXELS.exec(length ?? '') ?? []
  return pixels !== undefined && Number(pixels) <= TINY
}

/** Scripts that run (HTML, "prepare the script element"): data blocks and templates have other types. */
export const runs = (attributes: Attributes): boolean => RUNS.test(typeOf(attributes)) && !attributes.has('nomodule')
const RUNS = /^(?:module|(?:text|application)\/(?:x-)?(?:java|ecma|j|live)script[\d.]{0,9})?$/

/** Where the text of a script is, if it is not in the page. `foreign`: a script of SVG, which has a link. */
export const sourceOf = (attributes: Attributes, foreign: boolean): string | undefined =>
  foreign ? (attributes.get('href') ?? attributes.get('xlink:href')) : attributes.get('src')

/** Handlers of what a visitor does, and of leaving the page. All others run by themselves. */
const ON_ACTION =
  /^on(?:(?:aux|dbl)?click|submit|reset|change|input|invalid|key|mouse|pointer|touch|drag|drop|wheel|scroll|contextmenu|copy|cut|paste|select|blur|focusout|search|cancel|close|before|unload|pagehide)/

/** Whether a handler runs without a visitor's doing: one of the focus where the page gives it away. */
export const runsByItself = (name: string, attributes: Attributes): boolean =>
  /^onfocus(?:in)?$/.test(name) ? attributes.has('autofocus') : !ON_ACTION.test(name)

export function createDrawn(page: CollectedPage) {
  const own = ownerAt(page.url)
  const owners = new Map<string, string | null>()
  const scripts = { inline: 0, own: 0, foreign: 0 }
  const visibleCounts = { fields: 0, buttons: 0, pictures: 0 }
  let frameCount = 0
  const count = <Kind extends string>(counts: Record<Kind, number>, kind: Kind): void => {
    if (counts[kind] < MAX_COUNT) counts[kind] += 1
  }

  const isOwn = (url: string): boolean => {
    const [origin = ''] = /^https?:\/\/[^/?#]{1,300}/i.exec(url) ?? []
    const knownOwner = owners.get(origin)
    if (knownOwner !== undefined || owners.size >= ORIGINS) return knownOwner === own
    const owner = ownerAt(origin)
    owners.set(origin, owner)
    return owner === own
  }

  const noteScript = (attributes: Attributes, foreign: boolean): void => {
    if (!runs(attributes)) return
    const src = sourceOf(attributes, foreign)
    if (src === undefined) count(scripts, 'inline')
    else count(scripts, isOwn(reference(page, src)) ? 'own' : 'foreign')
  }

  const noteShown = (name: string, attributes: Attributes): void => {
    if (name === 'input') {
      const type = typeOf(attributes)
      if (type !== 'hidden') count(visibleCounts, BUTTON_TYPES.has(type) ? 'buttons' : 'fields')
    } else if (name === 'select' || name === 'textarea') count(visibleCounts, 'fields')
    else if (name === 'button') count(visibleCounts, 'buttons')
    if (FRAMING_TAGS.has(name) && frameCount < MAX_COUNT) frameCount += 1
    if (!PICTURE_TAGS.has(name) || isTiny(attributes.get('width')) || isTiny(attributes.get('height'))) return
    count(visibleCounts, 'pictures')
  }

  return {
    /** `foreign`: an element of SVG. `isHidden`: a style or an attribute hides the element or one around it. */
    open(
      name: string,
      attributes: Attributes,
      { foreign, isHidden }: { readonly foreign: boolean; readonly isHidden: boolean },
    ) {
      if (name === 'script') noteScript(attributes, foreign)
      if (name === 'iframe' && /^\s{0,9}javascript:/i.test(attributes.get('src') ?? '')) count(scripts, 'inline')
      for (const one of attributes.handlers) if (runsByItself(one, attributes)) count(scripts, 'inline')
      if (!isHidden) noteShown(name, attributes)
    },
    /** Fields and buttons until now. */
    controls: () => visibleCounts.fields + visibleCounts.buttons,
    /** `covering`: URLs, as written, of frames that cover the window. */
    build({ shown_words, frames = [] }: Look, covering: readonly string[]): Drawn {
      const urlsOf = (frames: readonly string[]) =>
        frames.map(frame => reference(page, frame)).filter(url => /^https?:/i.test(url))
      const urls = urlsOf(frames)
      const own = urls.filter(isOwn).length
      return {
        words: shown_words,
        ...visibleCounts,
        scripts,
        frames: { own, foreign: urls.length - own, other: Math.max(0, frameCount - urls.length) },
        covered: urlsOf(covering).length > 0,
      }
    },
  }
}

const typeOf = (attributes: Attributes): string => attributes.get('type')?.trim().toLowerCase() ?? ''

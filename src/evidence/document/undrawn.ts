// Whether a visitor sees more of a page than was read of it, and by what means.
import type { Page } from '../page/facts.ts'
import type { Served } from '../served/facts.ts'
import type { Document } from './facts.ts'
import { drawsLittle, findWayOn, SHELL_WORDS } from './handover.ts'

/** Reasons for `coverage`, and words that follow `The page` or `it`. */
const undrawn = {
  error_page: 'is an error page',
  next_page_not_seen: 'sends visitors to a page that was not seen',
  frame_not_seen: 'is drawn by a frame that was not seen',
  script_not_run: 'is written by a script that was not run',
  picture_only: 'is only a picture',
  shows_nothing: 'shows nothing',
} as const

export type Undrawn = keyof typeof undrawn
export const UNDRAWN: Readonly<Record<Undrawn, string>> = undrawn

/** A picture with fewer words beside it is the page. */
const CAPTION_WORDS = 10
/** The same for buttons: a tool has more. */
const FEW_BUTTONS = 2

/** Of a response in place of the page, such as a challenge, another rule says what was not seen. */
const OWN: ReadonlySet<Served['kind']> = new Set<Served['kind']>(['page', 'error', 'soft_404'])

export interface SeenPage {
  /** Null if it was not gathered: how the page was reached is then not known. */
  readonly page: Page | null
  readonly served: Served
  readonly document: Document
}

/**
 * Null if what a browser would draw was read. A page with a sentence, or with a field, counts as drawn whatever scripts it has,
 * unless they lead on from it or may write another in its place; also null for older recordings, and for a response that is no markup.
 */
export function findUndrawn({ page, served, document }: SeenPage): Undrawn | null {
  if (!OWN.has(served.kind)) return null
  const isLittle = drawsLittle(document)
  if (served.kind !== 'page') return isLittle ? 'error_page' : null
  if (!document.is_html) return page?.exchanges.at(-1)?.decoded_bytes === 0 ? 'shows_nothing' : null
  const way = findWayOn(document)
  if (way !== null) return way === 'frame' ? 'frame_not_seen' : 'next_page_not_seen'
  if (document.after_scripts) return isLittle && document.drawn !== undefined ? drawnAfterScripts(document.drawn) : null
  // A script of the page before may have drawn something else instead.
  if (page?.handover?.alone === false) return 'script_not_run'
  const unreadWrites = document.written?.unread ?? []
  if (unreadWrites.some(({ replaces }) => replaces || isLittle)) return 'script_not_run'
  return isLittle && document.drawn !== undefined ? drawnByOthers(document.drawn) : null
}

function drawnByOthers(drawn: NonNullable<Document['drawn']>): Undrawn | null {
  const { words, scripts, frames } = drawn
  const hasScripts = scripts.inline + scripts.own + scripts.foreign > 0
  if (frames.own + frames.foreign === 0 && hasScripts) return words < SHELL_WORDS ? 'script_not_run' : null
  return drawnAfterScripts(drawn)
}

function drawnAfterScripts({ words, buttons, pictures, frames }: NonNullable<Document['drawn']>): Undrawn | null {
  if (frames.own + frames.foreign > 0) return 'frame_not_seen'
  if (pictures > 0) return words < CAPTION_WORDS && buttons < FEW_BUTTONS ? 'picture_only' : null
  return words + buttons === 0 ? 'shows_nothing' : null
}

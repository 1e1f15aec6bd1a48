// A badge with the latest verdict on a target, as SVG.
import type { Entry } from '../../store/history.ts'
import type { Context } from './request_state.ts'
import { sendSvg } from './respond.ts'

const COLOURS: Readonly<Record<string, string>> = { safe: '#2f7d4f', suspicious: '#a15c00', malicious: '#b3261e' }
const UNKNOWN_COLOUR = '#555555'

/** Pixels of a character of the badge's font at its size, on average, and around a text. */
const CHARACTER = 6.6
const PADDING = 10
const HEIGHT = 20
const LABEL = 'assay'
/** Characters of the target; longer ones are cut in the middle. */
const TARGET_LENGTH = 40

const widthOf = (text: string): number => Math.round(text.length * CHARACTER + 2 * PADDING)

const escapeMarkup = (text: string): string => text.replace(/[<>&"']/g, character => `&#${character.charCodeAt(0)};`)

const shorten = (text: string): string =>
  text.length <= TARGET_LENGTH ? text : `${text.slice(0, TARGET_LENGTH / 2)}…${text.slice(1 - TARGET_LENGTH / 2)}`

export const badge = (ctx: Context, entry: Entry): void => sendSvg(ctx, badgeSvg(entry))

type BadgeEntry = Pick<Entry, 'target' | 'verdict' | 'risk_score' | 'checked_at'>

/** The text alternative has everything that the picture shows, and the date of the check. */
export function badgeSvg({ target, verdict, risk_score, checked_at }: BadgeEntry): string {
  const [label, value] = [`${LABEL} ${shorten(target)}`, `${verdict} ${risk_score}`]
  const [start, end] = [widthOf(label), widthOf(value)]
  const title = `${target}: ${verdict}, risk score ${risk_score} of 100, checked ${checked_at.slice(0, 10)}`
  const text = (words: string, x: number) =>
    `<text x="${x}" y="14" textLength="${Math.round(words.length * CHARACTER)}" lengthAdjust="spacingAndGlyphs">${escapeMarkup(words)}</text>`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${start + end}" height="${HEIGHT}" role="img" aria-label="${escapeMarkup(title)}">` +
    `<title>${escapeMarkup(title)}</title>` +
    `<rect width="${start + end}" height="${HEIGHT}" rx="3" fill="#333333"/>` +
    `<path d="M${start} 0h${end - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H${start}z" fill="${COLOURS[verdict] ?? UNKNOWN_COLOUR}"/>` +
    `<g fill="#ffffff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${text(label, PADDING)}${text(value, start + PADDING)}</g></svg>`
  )
}

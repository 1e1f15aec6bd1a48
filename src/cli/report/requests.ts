// The requests to the site on a common time line, one line each.

import { visible } from '../../base/visible.js'
import type { Report } from '../../engine/report/schema.ts'
import { cutTo, type Display, padTo, type Tone, widthOf } from './display.ts'

/** Narrower terminals have no room for bars. */
const LEAST_WIDTH_FOR_BARS = 72
const BAR = 16
/** Columns of `12345 ms`. */
const TIMES = 8
const STATUS = 3

type ReportRequest = Report['requests'][number]
type Phase = ReportRequest['phases'][number]['phase']

/** How each phase is drawn: what happens before the request is light, the body is solid. */
const marks: Readonly<Record<Phase, readonly [string, Tone]>> = {
  connect: ['░', 'yellow'],
  TLS: ['▒', 'yellow'],
  queue: ['·', 'dim'],
  wait: ['▓', 'cyan'],
  body: ['█', 'green'],
}

/** Empty if the times are not known. */
export function requestsBlock({ requests }: Report, display: Display): string {
  if (requests.length === 0) return ''
  const end = Math.max(1, ...requests.map(endOf))
  const hasBars = display.width >= LEAST_WIDTH_FOR_BARS
  const purposes = Math.max(...requests.map(({ purpose }) => widthOf(purpose ?? '')))
  const room = display.width - STATUS - TIMES - 6 - (hasBars ? BAR + 2 : 0) - (purposes === 0 ? 0 : purposes + 2)
  const column = Math.min(room, Math.max(...requests.map(({ url }) => widthOf(visible(url)))))
  const phaseNames = new Set(requests.flatMap(({ phases }) => phases.map(({ phase }) => phase)))
  const legend = Object.entries(marks)
    .filter(([phase]) => phaseNames.has(phase as Phase))
    .map(([phase, [mark, tone]]) => `${display.paint(tone, mark)} ${phase}`)
  return [
    `${display.paint('bold', 'Requests to the site')}${hasBars ? `: ${legend.join(', ')}` : ''}`,
    ...requests.map(request => {
      const name = padTo(cutTo(visible(request.url), column), column)
      const time = `${endOf(request) - request.started_ms} ms`.padStart(TIMES)
      const purpose = purposes === 0 ? '' : `${padTo(request.purpose ?? '', purposes)}  `
      return `  ${`${request.status}`.padStart(STATUS)}  ${purpose}${name}${time}${hasBars ? `  ${bar(request, end, display)}` : ''}`.trimEnd()
    }),
  ].join('\n')
}

const endOf = ({ started_ms, phases }: ReportRequest): number =>
  phases.reduce((sum, { milliseconds }) => sum + milliseconds, started_ms)

/** At least one mark, so that a quick request is seen. */
function bar({ started_ms, phases }: ReportRequest, end: number, { paint }: Display): string {
  const at = (ms: number) => Math.round((ms / end) * BAR)
  let now = started_ms
  const segments = phases.map(({ phase, milliseconds }) => {
    const [mark, tone] = marks[phase]
    const from = at(now)
    now += milliseconds
    return paint(tone, mark.repeat(at(now) - from))
  })
  const start = Math.min(at(started_ms), BAR - 1)
  return `${' '.repeat(start)}${segments.join('') || paint('cyan', '▏')}`
}

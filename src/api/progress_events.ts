// Progress as server-sent events: what is written, and how it is described.
import type { Outcome } from '../engine/analysis.ts'

/** One event (WHATWG HTML, section 9.2). `data` has no line feed: JSON as `JSON.stringify` writes it. */
const event = (name: string, data: string): string => `event: ${name}\ndata: ${data}\n\n`

export const sectionsEvent = (sections: readonly string[]): string => event('sections', JSON.stringify({ sections }))

export const sectionEvent = (section: string, { status, reason, duration_ms }: Outcome): string =>
  event('section', JSON.stringify({ section, status, reason, duration_ms }))

/** `body` is what the plain operation answers, octet for octet. */
export const resultEvent = (body: string): string => event('result', body)

export const problemEvent = (body: string): string => event('problem', body)

const description = `The same operation, asked for by name with \`Accept: text/event-stream\`, tells of its progress as server-sent \
events and ends with the same result. Key, quota, cache and problems are those of the plain operation, which needs none of this.

\`sections\` names what is going to be looked at. \`section\` comes for each of them as it finishes, with its coverage. The last \
event is \`result\`, whose data is the very answer of the plain operation, or \`problem\`. A result that was kept is the only \
event, as is one that another instance of the service worked out. What is refused before there is anything to tell is an \
ordinary answer with its status.

The headers are sent before the end is known, so X-RateLimit-Remaining has this request counted already; if the stream ends in a \
problem, it is not counted after all. A client that leaves ends the check, unless another one waits for it. X-Cache
says what was known then, too: a stale result, which says so itself, may follow where it says MISS.`

/** For the interface's description. */
export const eventStream = { type: 'string', description }

export const eventExample = {
  summary: 'a check under way',
  value: [
    sectionsEvent(['dns_security', 'ssl_info']),
    event('section', '{"section":"dns_security","status":"completed","reason":null,"duration_ms":41}'),
    event('section', '{"section":"ssl_info","status":"completed","reason":null,"duration_ms":97}'),
    resultEvent('{"domain":"example.com","risk_score":3,"…":"…","cached":false}'),
  ].join(''),
}

// A line of the log as a person reads it on a terminal. Everything else that reads the log gets JSON.

const LEVEL_WIDTH = 5
/** What needs no quotes. */
const BARE = /^[\w./:@…-]+$/

const valueText = (value: unknown): string =>
  typeof value === 'string' && BARE.test(value) ? value : JSON.stringify(value)

/** A request by its method, path and status; other lines by their members. What is no JSON stays as it is. */
export function readableLine(line: string): string {
  try {
    const { level, time, method, path, status, duration_ms, request_id: _, ...rest } = JSON.parse(line)
    const request = method === undefined ? [] : [method, path, status ?? 'no answer', `${duration_ms} ms`]
    const members = Object.entries(rest).map(([name, value]) => `${name}=${valueText(value)}`)
    const at = new Date(time).toISOString().slice(11, 19)
    return `${[at, String(level).padEnd(LEVEL_WIDTH), ...request, ...members].join(' ')}\n`
  } catch {
    return line
  }
}

/** The same of complete lines. */
export const readableLines = (octets: Buffer): Buffer =>
  Buffer.from(octets.toString('utf8').replace(/[^\n]*\n/g, readableLine))

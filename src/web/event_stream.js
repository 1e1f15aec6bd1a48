// Reads a stream of server-sent events (WHATWG HTML, section 9.2.6) from pieces of text as they arrive.

/** @typedef {{ readonly event: string, readonly data: string }} StreamEvent */

/**
 * Takes the next piece of the stream and returns the events that it completes. `data` lines are joined by line feeds; ids,
 * retry times and comments are ignored, because nothing here reconnects.
 * @returns {(piece: string) => StreamEvent[]}
 */
export function eventReader() {
  let rest = ''
  let event = ''
  /** @type {string[]} */
  let data = []

  /** @type {(line: string) => StreamEvent[]} */
  function take(line) {
    if (line === '') {
      const complete = data.length > 0 ? [{ event: event || 'message', data: data.join('\n') }] : []
      event = ''
      data = []
      return complete
    }
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') event = value
    if (field === 'data') data.push(value)
    return []
  }

  return piece => {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    return lines.flatMap(line => take(line.endsWith('\r') ? line.slice(0, -1) : line))
  }
}

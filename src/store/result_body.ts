// The body of a result, prepared once: all but its last two members, which differ by request.

/**
 * The result without `process_time_ms` and `cached`, as the octets of JSON up to where those two follow.
 * A copy of its own, never a slice of a shared pool, so that a cache that counts octets counts true.
 */
export function prepareBody(result: Readonly<Record<string, unknown>>): Buffer {
  const { process_time_ms, cached, ...lasting } = result
  const text = JSON.stringify(lasting).slice(0, -1)
  const head = `${text}${text === '{' ? '' : ','}"process_time_ms":`
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(head))
  bytes.write(head)
  return bytes
}

/**
 * The whole body for one request, as Latin-1: a character for each octet, so that it leaves in one write with the
 * headers, and takes no memory outside the heap. `process_time_ms` is an integer. What is `stale` says so after all else.
 */
export function finishBody(prepared: Buffer, process_time_ms: number, cached: boolean, stale = false): string {
  return `${prepared.toString('latin1')}${process_time_ms},"cached":${cached}${stale ? ',"stale":true' : ''}}`
}

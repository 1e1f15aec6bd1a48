// What a test takes of memory.

/**
 * Octets of objects and buffers, garbage not yet collected included. Resident memory would also count what the young
 * generation was given room for, which is more than most bounds.
 */
export function octetsHeld(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

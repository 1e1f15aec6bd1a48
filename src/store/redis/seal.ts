// Ties octets in Redis to the names they were put under: what does not carry its seal is not believed.
import { createHash } from 'node:crypto'

/** 43 ASCII characters. */
export const sealOf = (names: readonly string[], bytes: Buffer): string =>
  createHash('sha256').update(JSON.stringify(names)).update(bytes).digest('base64url')

export const seal_length = 43

// What an entry is counted as, beside what it takes.

/** Octets an entry. */
export interface Weight {
  readonly taken: number
  readonly counted: number
}

/**
 * Whether a cap holds: what is counted is all that is taken, but for the noise of measuring, and no more than half is air.
 * A text that keeps its source takes ten times what is counted.
 */
export const isTrue = ({ taken, counted }: Weight): boolean => taken <= counted * 1.1 && taken >= counted * 0.5

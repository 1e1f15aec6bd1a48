// The one error of datasets: what was given cannot be used, and why.

/** The data cannot be used; the message names them and says why, and `reason` is a slug for machines. */
export class UnusableDataset extends Error {
  override readonly name = 'UnusableDataset'
  readonly reason: string
  constructor(message: string, reason = 'unusable') {
    super(message)
    this.reason = reason
  }
}

/** Whatever else goes wrong with a dataset is the disk's doing. */
export const reasonOf = (error: unknown): string => (error instanceof UnusableDataset ? error.reason : 'disk')

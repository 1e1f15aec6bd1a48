// Whether a directory lists the target's host as running on green energy.

export interface GreenHosting {
  /** False: the directory has no proof of green energy. */
  readonly green: boolean
  /** The host's name in the directory, at most 128 characters. */
  readonly hosted_by: string | null
}

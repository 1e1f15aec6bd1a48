// Sources that an installation should have and has not read, and what follows from that for a result. Pure.

/**
 * A feed, list or database that is expected and cannot be used: the operator named it, or a copy is on disk. A source that was
 * never downloaded by default is not expected, and one that is too old is not missing.
 */
export interface MissingSource {
  readonly id: string
  readonly name: string
  readonly kind: 'feed' | 'list' | 'database'
  /** The operator named its place. */
  readonly own: boolean
}

/** A feed that the operator relies on: without it, no target is recommended. */
export const withholdingFeed = (missing: readonly MissingSource[]): MissingSource | undefined =>
  missing.find(({ kind, own }) => own && kind === 'feed')

/** `The feed acme-blocklist has not been read yet.` */
export const missingSentence = ({ kind, name }: MissingSource): string => `The ${kind} ${name} has not been read yet.`

// An answer that is a stream of events, as those who write to it see it.

export interface EventStream {
  /** Whether its status and headers have left. */
  readonly begun: boolean
  readonly ended: boolean
  tell(event: string): void
  /** Texts are UTF-8, unless they are octets already. */
  end(event: string, encoding?: 'utf8' | 'latin1'): void
}

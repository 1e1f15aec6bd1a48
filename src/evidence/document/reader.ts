// What a kind of element does to what is collected of a page.
import type { Collected } from './collected.ts'
import type { Attributes } from './tag_stream.ts'

export interface Reader {
  open(page: Collected, attributes: Attributes): void
  close?(page: Collected): void
}

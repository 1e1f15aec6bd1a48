// The media type of a response, as browsers make it out (Fetch, "extract a MIME type").
import { charsetParameter } from './charset.ts'

/**
 * `type/subtype`, lower case, with `; charset=` where one is told. Of several types the last counts, and takes over the
 * charset of the same type before it; what is none, and the type of anything, are passed over. Null when none is left.
 */
export function mediaType(fields: readonly string[]): string | null {
  let type: string | null = null
  let charset: string | null = null
  for (const piece of fields.join(',').split(',')) {
    const [written = ''] = piece.split(';', 1)
    const essence = written.trim().toLowerCase()
    if (!/^[\w!#$%&'*+.^`|~-]{1,127}\/[\w!#$%&'*+.^`|~-]{1,127}$/.test(essence) || essence === '*/*') continue
    charset = charsetParameter(piece) ?? (essence === type ? charset : null)
    type = essence
  }
  return type !== null && charset !== null ? `${type}; charset=${charset}` : type
}

// A text in pieces as lines, each bounded: a line without end costs no more than a long one.

export interface LineSplitter {
  /** The lines that the piece completes, without ends and outer blanks. A line that is too long is null. */
  push(piece: string): readonly (string | null)[]
  /** What is left. */
  end(): readonly (string | null)[]
}

/** Characters: ten times the longest URL that browsers take to be one. */
export const LONGEST_LINE = 20_480

export function splitLines(): LineSplitter {
  let rest = ''
  let overlong = false
  const cut = (line: string) => {
    const long = overlong || line.length > LONGEST_LINE
    overlong = false
    return long ? null : line.trim()
  }
  return {
    push(piece) {
      const lines = (rest + piece).split('\n')
      rest = lines.pop() ?? ''
      const complete = lines.map(cut)
      if (rest.length > LONGEST_LINE) {
        overlong = true
        rest = ''
      }
      return complete
    },
    end() {
      const last = rest === '' && !overlong ? [] : [cut(rest)]
      rest = ''
      return last
    },
  }
}

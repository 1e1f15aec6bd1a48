// Reads version numbers.

/** Characters after a match within which the text before a version must come. */
const REACH = 64
/** Longer ones are no versions but hashes and hoaxes. */
const LONGEST = 24
/** Digits of the first group: more are a date or a part of a hash. */
const FIRST_GROUP = 4

const isDigit = (char = ''): boolean => char >= '0' && char <= '9' && char !== ''
const isLetter = (char = ''): boolean => /^[a-z]$/i.test(char)

/** Where the digits in groups parted by points end. */
function endOfGroups(text: string, start: number): number {
  let at = start
  while (isDigit(text[at]) || (text[at] === '.' && isDigit(text[at + 1]) && at > start)) at++
  return at
}

/** The version that begins at `from`, or null. It must not run on into a word. */
function versionAt(text: string, from: number): string | null {
  const start = /^v\d/i.test(text.slice(from, from + 2)) ? from + 1 : from
  const digits = endOfGroups(text, start)
  const end = isLetter(text[digits]) ? digits + 1 : digits
  const version = text.slice(start, end)
  const [first = ''] = version.split('.', 1)
  const isWhole = !isLetter(text[end]) && !isDigit(text[end])
  return isWhole && digits > start && version.length <= LONGEST && first.length <= FIRST_GROUP ? version : null
}

/**
 * Digits in groups parted by points, with one letter after them when it ends the word (`1.1.1k`). They follow `before`, which
 * begins within 64 characters after `from`, or at `from` when it is empty. Null when there are none.
 */
export function readVersion(subject: string, from: number, before: string): string | null {
  const window = subject.slice(from, from + REACH + before.length + LONGEST + 4)
  if (before === '') return versionAt(window, 0)
  const folded = window.toLowerCase()
  for (let at = folded.indexOf(before); at >= 0 && at <= REACH; at = folded.indexOf(before, at + 1)) {
    const version = versionAt(window, at + before.length)
    if (version !== null) return version
  }
  return null
}

/** Less than 0 when `a` is before `b`; by the numbers of their groups, those that one lacks being 0. */
export function compareVersions(a: string, b: string): number {
  const groups = (version: string) => version.split('.').map(group => Number.parseInt(group, 10))
  const [left, right] = [groups(a), groups(b)]
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

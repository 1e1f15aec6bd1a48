// Reads version numbers.

/** The text before a version must start within this many characters after a match. */
const REACH = 64
/** Longer strings are hashes, not versions. */
const LONGEST = 24
/** Maximum digits of the first component: longer ones are dates or parts of hashes. */
const FIRST_GROUP = 4

const isDigit = (char = ''): boolean => char >= '0' && char <= '9' && char !== ''
const isLetter = (char = ''): boolean => /^[a-z]$/i.test(char)

/** The end of the digits in components separated by points. */
function endOfGroups(text: string, start: number): number {
  let at = start
  while (isDigit(text[at]) || (text[at] === '.' && isDigit(text[at + 1]) && at > start)) at++
  return at
}

/** The version that starts at `from`, or null. It must not continue into a word. */
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
 * Digits in components separated by points, with one letter at the end (`1.1.1k`). They follow `before`, which starts
 * within 64 characters after `from`, or at `from` if it is empty. Null if there are none.
 */
export function readVersion(subject: string, from: number, before: string): string | null {
  const window = subject.slice(from, from + REACH + before.length + LONGEST + 4)
  if (before === '') return versionAt(window, 0)
  const lowerText = window.toLowerCase()
  for (let at = lowerText.indexOf(before); at >= 0 && at <= REACH; at = lowerText.indexOf(before, at + 1)) {
    const version = versionAt(window, at + before.length)
    if (version !== null) return version
  }
  return null
}

/** Negative if `a` is before `b`, compared by components; missing components count as 0. */
export function compareVersions(a: string, b: string): number {
  const groups = (version: string) => version.split('.').map(group => Number.parseInt(group, 10))
  const [left, right] = [groups(a), groups(b)]
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

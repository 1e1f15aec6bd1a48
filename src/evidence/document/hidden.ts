// Styles that keep an element from being seen, and the classes and ids that a style sheet of the page gives them to.

/** Declarations as they are written without blanks, in lower case. */
const HIDING = [
  /(?:^|;)display:none/,
  /(?:^|;)visibility:(?:hidden|collapse)/,
  /(?:^|;)opacity:0(?:\.0+)?(?:;|!|$)/,
  /(?:^|;)font-size:[01](?:\.\d+)?(?:px|pt|em|rem|%)?(?:;|!|$)/,
  /(?:^|;)font-size:0/,
  /(?:^|;)color:transparent/,
  /(?:^|;)text-indent:-\d{3,}/,
  /(?:^|;)(?:left|top|right|bottom|margin-left|margin-top):-\d{4,}/,
  /(?:^|;)clip:rect\([01]p?x?[, ][01]p?x?[, ][01]p?x?/,
  /(?:^|;)clip-path:inset\((?:50|100)%/,
  /(?:^|;)transform:scale\(0/,
]
const NO_ROOM = /(?:^|;)(?:max-)?(?:height|width):[01](?:px)?(?:;|!|$)/
const CUT = /(?:^|;)overflow(?:-[xy])?:hidden/

/** `declarations` as in a `style` attribute. */
export function hides(declarations: string): boolean {
  if (declarations.length < 6) return false
  const bare = declarations.slice(0, 1_024).toLowerCase().replace(/\s+/g, '')
  return HIDING.some(pattern => pattern.test(bare)) || (NO_ROOM.test(bare) && CUT.test(bare))
}

/** Selectors of one class or one id, `.x` and `#x`, whose rules hide. Rules within `@media` count as others do. */
export function hiddenSelectors(sheet: string): string[] {
  const found: string[] = []
  for (const rule of sheet.split('}')) {
    const brace = rule.lastIndexOf('{')
    if (brace < 0 || !hides(rule.slice(brace + 1))) continue
    const selectors = rule.slice(Math.max(0, rule.lastIndexOf('{', brace - 1) + 1), brace).replace(/\/\*.*?\*\//gs, '')
    for (const one of selectors.split(',')) if (/^\s*[.#][\w-]{1,64}\s*$/.test(one)) found.push(one.trim())
  }
  return found
}

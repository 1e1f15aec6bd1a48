// How much of a page is kept: far more than honest pages have, and little enough to hold and to look through.

export const bounds = {
  /** Entries of each list. */
  metas: 200,
  links: 300,
  anchors: 1_000,
  /** `mailto:` and `tel:` links are kept beyond the other anchors: they are what a page is read for. */
  contacts: 200,
  scripts: 200,
  iframes: 50,
  forms: 50,
  /** With those that ask for a password behind them. */
  passwordForms: 60,
  inputs: 64,
  formactions: 16,
  /** Fields that name their form. */
  strays: 256,
  headings: 200,
  classLists: 20_000,
  name: 64,
  tokens: 16,
  /** UTF-16 code units. */
  string: 512,
  url: 2_048,
  content: 4_096,
  comment: 256,
  classList: 4_096,
  /**
   * Of the distinct ids, classes, attribute names, element names and comments, each list for itself, 16 an entry on top.
   * Of 2,185 real pages, the longest classes take 83 Ki and the longest comments 53 Ki; one page in a hundred takes more
   * than 12 Ki. Patterns are matched on these lists after the page, because they belong to plugins and to options.
   */
  marks: 128 * 1024,
  visible: 200 * 1024,
  /** Of all inline scripts together; as many as the search for obfuscation reads. */
  inline: 256 * 1024,
  /** Of all JSON-LD blocks together: twice the most of 2,185 real pages. */
  jsonLd: 64 * 1024,
} as const

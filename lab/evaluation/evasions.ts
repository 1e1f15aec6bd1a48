// Six cheap changes that the author of a phishing kit can make to any page. A judgement that they defeat is worth
// little.

export interface EvasionTarget {
  /** The page's own URL. */
  readonly url: string
  /** The imitated brand, if known; replaced by a picture of its name. */
  readonly brand: string | null
}

export const evasions: Readonly<Record<string, (html: string, page: EvasionTarget) => string>> = {
  absolute_paths: absolutePaths,
  borrowed_head: borrowedHead,
  hidden_filler: hiddenFiller,
  drawn_brand: drawnBrand,
  own_name: ownName,
  hidden_own_name: hiddenOwnName,
}

/** Writes every relative path as a URL of the page's own site. */
function absolutePaths(html: string, { url }: EvasionTarget): string {
  return html.replace(
    /(\s(?:href|src|action)\s*=\s*)(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi,
    (whole: string, attribute: string, double?: string, single?: string, bare?: string) => {
      const address = (double ?? single ?? bare ?? '').trim()
      if (address === '' || address.startsWith('#') || /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(address)) return whole
      return URL.canParse(address, url) ? `${attribute}"${new URL(address, url).href}"` : whole
    },
  )
}

/** Adds a title, feed, statistics and canonical link as ordinary sites have them. */
function borrowedHead(html: string, { url }: EvasionTarget): string {
  const { origin, hostname } = new URL(url)
  const head = `<title>Welcome to ${hostname}</title><meta name="description" content="News, services and contact of ${hostname}">
<link rel="canonical" href="${url}"><link rel="alternate" type="application/rss+xml" href="${origin}/feed"><meta property="og:url" content="${url}">
<meta property="og:site_name" content="${hostname}"><link rel="icon" href="${origin}/favicon.ico">
<script async src="https://www.googletagmanager.com/gtag/js?id=G-1A2B3C4D5E"></script><script>window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments)}gtag('js',new Date());gtag('config','G-1A2B3C4D5E')</script>`
  const bare = html.replace(/<title[^>]*>[\s\S]*?<\/title>/gi, '')
  return /<head[^>]*>/i.test(bare) ? bare.replace(/<head[^>]*>/i, opening => opening + head) : head + bare
}

const FILLER =
  'Our neighbourhood association meets every second Tuesday in the library. Members bring bread, plants and old photographs. The minutes are kept in the archive and may be read by anyone. '

/**
 * Adds words and links that visitors cannot see: hidden by the page's styles, by an element's style, and off the
 * screen.
 */
function hiddenFiller(html: string, { url }: EvasionTarget): string {
  const { origin } = new URL(url)
  const links = Array.from({ length: 40 }, (_, at) => `<a href="${origin}/archive/${at}">Minutes ${at + 1}</a>`).join(
    ' ',
  )
  const filler = `<style>.qx7{display:none}</style><div class="qx7"><h2>Neighbourhood news</h2>${links}${FILLER.repeat(8)}</div>
<div style="position:absolute;left:-9999px">${FILLER.repeat(6)}</div><p style="font-size:0">${FILLER.repeat(6)}</p>`
  const end = html.search(/<\/body/i)
  return end < 0 ? html + filler : html.slice(0, end) + filler + html.slice(end)
}

/** A firm that nobody has heard of. */
const FIRM = 'Larkmoor Trading'

/** Poses as a firm besides: its name at the end of the title, in metas, in a link to the front page and in a copyright line. */
function ownName(html: string): string {
  return withName(
    html,
    `<div class="top"><a href="/">${FIRM}</a></div>`,
    `<footer>© 2026 ${FIRM}. All rights reserved.</footer>`,
  )
}

/** The same, where visitors do not see it. */
function hiddenOwnName(html: string): string {
  const hide = (part: string) => `<div style="display:none">${part}</div>`
  return withName(html, hide(`<a href="/">${FIRM}</a>`), hide(`<footer>© 2026 ${FIRM}. All rights reserved.</footer>`))
}

function withName(html: string, top: string, foot: string): string {
  const head = `<meta property="og:site_name" content="${FIRM}"><meta name="application-name" content="${FIRM}">`
  const titledHtml = html.replace(/<\/title>/i, ` – ${FIRM}</title>`)
  const headedHtml = /<head[^>]*>/i.test(titledHtml)
    ? titledHtml.replace(/<head[^>]*>/i, opening => opening + head)
    : head + titledHtml
  const htmlWithTop = /<body[^>]*>/i.test(headedHtml)
    ? headedHtml.replace(/<body[^>]*>/i, opening => opening + top)
    : top + headedHtml
  const end = htmlWithTop.search(/<\/body/i)
  return end < 0 ? htmlWithTop + foot : htmlWithTop.slice(0, end) + foot + htmlWithTop.slice(end)
}

/** Removes the brand's name from all text and alternative text, as if a picture showed it. */
function drawnBrand(html: string, { brand }: EvasionTarget): string {
  const words = new Set([brand ?? '', ...(brand ?? '').split(/\s+/)].filter(word => word.length > 2))
  if (words.size === 0) return html
  const pattern = new RegExp([...words].map(word => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'gi')
  const picture = '<img src="l.png">'
  // Titles cannot contain pictures, and attributes other than URLs also name the brand.
  return html
    .replace(/<title[^>]*>[\s\S]*?<\/title>/gi, title => title.replace(pattern, ''))
    .replace(/\s(?:alt|title|placeholder|aria-label|content)\s*=\s*(?:"[^"]*"|'[^']*')/gi, one =>
      one.replace(pattern, ''),
    )
    .replace(
      /(<(script|style|title)\b[\s\S]*?<\/\2>)|>([^<>]+)</gi,
      (whole: string, raw?: string, _name?: string, text?: string) =>
        raw !== undefined || text === undefined ? whole : `>${text.replace(pattern, picture)}<`,
    )
}

// Folders for files of pages, not for pages. Intruders hide kits there, because nobody looks.
import { dataFile, TextList } from '../../src/engine/plugin.ts'
import data from './data/well_known.json' with { type: 'json' }
import { endingOf, isPage, type LinkParts } from './link_parts.ts'

export interface AssetFolder {
  readonly folder: string
  readonly strength: number
}

/** Names of /.well-known/ by the IANA registry and common use. Others may be new standards, so a name alone is no signal. */
export const WellKnownFile = dataFile({ names: TextList })
const wellKnown: ReadonlySet<string> = new Set(data.names)

/** WordPress's folders for files: nothing below them is a page of the site. */
const uploads: ReadonlySet<string> = new Set(['uploads', 'upgrade', 'languages', 'cache', 'files', 'gallery', 'fonts'])
/** Extensions sometimes have pages of their own: an export, the target of a form. */
const extensions: ReadonlySet<string> = new Set(['plugins', 'themes', 'mu-plugins'])
/** Folders of WordPress's own pages. */
const adminPages: ReadonlySet<string> = new Set(['user', 'network'])
/** Folders of any site, for style sheets and fonts. */
const styles: ReadonlySet<string> = new Set(['css', 'fonts'])
/** The same for any site, except that documentation and galleries have documents there. */
const files: ReadonlySet<string> = new Set(['js', 'images', 'img'])

/** The folder of files that the link leads to a page in; null if it does not. */
export function assetFolder({ segments, url }: LinkParts): AssetFolder | null {
  const last = segments.at(-1) ?? ''
  const isFolder = url.path.endsWith('/')
  // A name without an ending is a page too: servers show the index of the folder.
  const shows = isFolder || isPage(last) || endingOf(last) === null
  if (!shows) return null
  for (const [at, segment] of segments.entries()) {
    const below = segments.slice(at + 1)
    const folder = folderOf(segment, below, isPage(last))
    if (folder) return folder
  }
  return null
}

function folderOf(segment: string, below: readonly string[], page: boolean): AssetFolder | null {
  const [next = ''] = below
  if (segment === 'wp-includes' && below.length > 0) return { folder: 'wp-includes', strength: 1 }
  if (segment === 'wp-content' && below.length > 1) return contentFolder(next, page)
  if (segment === 'wp-admin' && below.length > 1 && !adminPages.has(next)) {
    return { folder: 'wp-admin', strength: page ? 1 : 0.5 }
  }
  if (segment === '.well-known' && below.length > 0) return wellKnownFolder(below, page)
  if (!page) return null
  // Servers hide such folders from lists of files.
  if (/^\.[a-z]/.test(segment) && below.length > 0) return { folder: 'a hidden folder', strength: 1 }
  if (styles.has(segment) && below.length > 0) return { folder: segment, strength: 0.7 }
  if (files.has(segment) && /\.php\d?$/.test(below.at(-1) ?? '')) return { folder: segment, strength: 0.7 }
  return null
}

function contentFolder(next: string, page: boolean): AssetFolder | null {
  if (extensions.has(next)) return { folder: `wp-content/${next}`, strength: page ? 0.7 : 0.5 }
  if (uploads.has(next)) return { folder: `wp-content/${next}`, strength: page ? 1 : 0.5 }
  // WordPress makes no other folders there.
  return { folder: 'wp-content', strength: 0.7 }
}

function wellKnownFolder(below: readonly string[], page: boolean): AssetFolder | null {
  const [name = '', ...deeper] = below
  const script = page && !/\.html?$/.test(below.at(-1) ?? '')
  if (wellKnown.has(name)) return script && deeper.length > 0 ? { folder: '.well-known', strength: 1 } : null
  if (page) return { folder: '.well-known', strength: 1 }
  return deeper.length > 0 ? { folder: '.well-known', strength: 0.5 } : null
}

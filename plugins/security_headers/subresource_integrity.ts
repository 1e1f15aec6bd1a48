// Subresource Integrity (W3C SRI section 3): whether scripts of other sites are pinned to their content.
import { getDomain } from 'tldts'
import { type Document, type Static, Type } from '../../src/engine/plugin.ts'

export const SubresourceIntegrity = Type.Object(
  {
    third_party_scripts: Type.Integer({ description: 'Scripts from other sites in the markup, of the first 200.' }),
    with_integrity: Type.Integer({
      description: 'Scripts with an integrity attribute: browsers refuse other content.',
    }),
  },
  {
    additionalProperties: false,
    description: 'Scripts that change with each release cannot be pinned, so this is not graded.',
  },
)

const siteOf = (url: string): string | null => {
  if (!URL.canParse(url)) return null
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:') return null
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname
}

/** Null if the markup was not read to its end. */
export function judgeIntegrity(document: Document | null): Static<typeof SubresourceIntegrity> | null {
  if (document === null || !document.is_html || document.truncated) return null
  const own = siteOf(document.url)
  const foreign = document.scripts.filter(({ src }) => {
    const site = src === null ? null : siteOf(src)
    return site !== null && site !== own
  })
  return { third_party_scripts: foreign.length, with_integrity: foreign.filter(({ integrity }) => integrity).length }
}

// Pages of known services that redirect to any site: the link shows a name that people trust.
import { identify, type TargetUrl } from '../../src/engine/plugin.ts'
import type { LinkParts } from './link_parts.ts'

export interface Redirector {
  readonly service: string
  /** Host that the link leads to; null if the link does not say. */
  readonly leads_to: string | null
  /** The service checks or signs its links. */
  readonly guarded: boolean
}

interface Entry {
  readonly service: string
  /** The host, or a name below it. */
  readonly host: RegExp
  readonly path: RegExp
  /** Parameters that hold the destination; empty if it follows in the path or the whole query. */
  readonly parameters: readonly string[]
  readonly guarded: boolean
}

const below = (...hosts: string[]): RegExp =>
  new RegExp(`(?:^|\\.)(?:${hosts.map(host => host.replaceAll('.', '\\.')).join('|')})$`)
const open = (service: string, host: RegExp, path: RegExp, parameters: string): Entry => ({
  service,
  host,
  path,
  parameters: parameters === '' ? [] : parameters.split(' '),
  guarded: false,
})
const guarded = (...entry: Parameters<typeof open>): Entry => ({ ...open(...entry), guarded: true })

const google = /^(?:www\.)?google\.(?:com?\.)?[a-z]{2,3}$/
const any = /^\//

const entries: readonly Entry[] = [
  open('Google', google, /^\/url$/, 'q url'),
  open('Google', google, /^\/amp\/(?:s\/)?/, ''),
  open('Google', google, /^\/(?:interstitial|travel\/clk|maps\/url)$/, 'url pc q'),
  open('Google Ads', below('googleadservices.com', 'doubleclick.net'), /\/(?:aclk|click)/, 'adurl ds_dest_url'),
  open('Google Translate', below('translate.google.com'), /^\/(?:translate|website)$/, 'u'),
  open('YouTube', below('youtube.com'), /^\/(?:redirect|attribution_link)$/, 'q u'),
  open('Facebook', below('facebook.com', 'messenger.com'), /^\/(?:l|flx\/warn|sharer\/redirect)(?:\.php|\/)?$/, 'u'),
  open('Instagram', below('l.instagram.com'), any, 'u'),
  open('LinkedIn', below('linkedin.com'), /^\/(?:redir\/(?:redirect|general-malware-page)|safety\/go)$/, 'url'),
  open('Bing', below('bing.com'), /^\/(?:ck\/a|aclick|alink\/link)$/, 'u url'),
  open('DuckDuckGo', below('duckduckgo.com'), /^\/l\/?$/, 'uddg u3'),
  open('Yahoo', below('r.search.yahoo.com'), /\/RU=/, ''),
  open('Yandex', below('yandex.ru', 'yandex.com'), /^\/(?:clck\/jsredir|turbo)/, 'url text'),
  open('Baidu', below('baidu.com'), /^\/link$/, 'url'),
  open('VKontakte', below('vk.com', 'vk.ru'), /^\/away\.php$/, 'to'),
  open('Odnoklassniki', below('ok.ru'), /^\/dk$/, 'st.link'),
  open('Reddit', below('out.reddit.com'), any, 'url'),
  open('Tumblr', below('t.umblr.com', 'umblr.com'), /^\/redirect$/, 'z'),
  open('Steam', below('steamcommunity.com'), /^\/linkfilter\/?$/, 'url u'),
  open('Slack', below('slack-redir.net'), /^\/link$/, 'url'),
  open('Medium', below('medium.com'), /^\/(?:m\/global-identity(?:-2)?|r)$/, 'redirectUrl url'),
  open('DeviantArt', below('deviantart.com'), /^\/users\/outgoing$/, ''),
  open('Disqus', below('disq.us'), /^\/(?:url|\?)/, 'url'),
  open('Zhihu', below('link.zhihu.com'), any, 'target'),
  open('href.li', below('href.li', 'anonym.to', 'hidereferrer.com', 'nullrefer.com', 'dereferer.me'), any, ''),
  open('Adobe Campaign', below('t-info.mail.adobe.com', 'campaign.adobe.com'), /^\/r\//, 'p1 url'),
  guarded('Microsoft Safe Links', below('safelinks.protection.outlook.com'), any, 'url'),
  guarded('Proofpoint', below('urldefense.com', 'urldefense.proofpoint.com'), /^\/v[12]\//, 'u'),
  guarded('Proofpoint', below('urldefense.com'), /^\/v3\/__/, ''),
  guarded('Barracuda', below('linkprotect.cudasvc.com'), /^\/url$/, 'a'),
  guarded('Mimecast', below('protect.mimecast.com', 'mimecastprotect.com'), /^\/s\//, 'domain'),
]

/** The service that redirects, and the destination; null if the link uses none, or leads back to the service itself. */
export function redirectorOf(parts: LinkParts, host: string | null): Redirector | null {
  if (host === null) return null
  const { path } = parts.url
  const entry = entries.find(one => one.host.test(host) && one.path.test(path))
  if (entry === undefined) return null
  const destination = destinationOf(entry, parts)
  // Without a destination it is an ordinary page of the service, unless it hides where it leads.
  if (destination === undefined) return null
  if (destination !== null && identify(destination).owner === identify(host).owner) return null
  return { service: entry.service, leads_to: destination, guarded: entry.guarded }
}

/** Undefined: there is no destination; null: there is one that cannot be read. */
function destinationOf({ path, parameters }: Entry, { url, parameters: given }: LinkParts): string | null | undefined {
  if (parameters.length === 0) return hostIn(afterMatch(url, path))
  const value = parameters
    .flatMap(name => given.filter(([one]) => one === name).map(([, text]) => text))
    .find(text => text !== '')
  if (value === undefined) return undefined
  // A path on the service itself
  if (value.startsWith('/') && !value.startsWith('//')) return undefined
  return hostIn(value) ?? hostIn(unpacked(value)) ?? null
}

function afterMatch({ path, query }: TargetUrl, pattern: RegExp): string {
  const rest = path.replace(pattern, '')
  try {
    return decodeURIComponent(rest === '' || rest === '/' ? (query ?? '') : rest)
  } catch {
    return ''
  }
}

const host = /^(?:https?:)?(?:\/\/)?([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8})(?::\d{1,5})?(?:[/?#]|$)/i

const hostIn = (text: string): string | undefined => host.exec(text)?.[1]?.toLowerCase()

/** Bing and others write the destination in Base64, after two characters. */
function unpacked(value: string): string {
  try {
    return atob(value.replace(/^a1/, '').replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, ''))
  } catch {
    return ''
  }
}

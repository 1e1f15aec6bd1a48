// Hosts shared by many users: what one user publishes there says nothing about the host or its other users.
import { identify } from './identity.ts'

/**
 * Hosts where users publish below a path (documents, files, code, short links, posts), or below names that are neither in
 * the PSL nor known to `isPlatform`.
 */
const published: ReadonlySet<string> = new Set(
  `
  1drv.ms account.box.com acrobat.adobe.com adobe.com airtable.com aka.ms amazon.com amazonaws.com anonfiles.com
  app.box.com app.link app.smartsheet.com apple.com archive.org arweave.net backblazeb2.com beacons.ai bit.do bit.ly
  bitbucket.org blogger.com box.com bsky.app buff.ly calendly.com canva.com canva.site catbox.moe cdn.discordapp.com
  cloud.microsoft cloudflare-ipfs.com cloudinary.com codepen.io cutt.ly dailymotion.com deviantart.com discord.com
  discord.gg discordapp.com disk.yandex.com disk.yandex.ru docs.google.com docs.googleusercontent.com drive.google.com
  drive.usercontent.google.com dropbox.com dropboxusercontent.com evernote.com express.adobe.com facebook.com fb.me
  figma.com files.catbox.moe firebasestorage.googleapis.com flickr.com form.jotform.com forms.cloud.microsoft forms.gle
  forms.office.com gamma.app gamma.site gateway.pinata.cloud gist.github.com gist.githubusercontent.com github.com
  githubusercontent.com gitlab.com gofile.io goo.gl google.com googleapis.com googleusercontent.com hackmd.io
  hs-sites.com hubspotpagebuilder.com icloud.com imgur.com indd.adobe.com instagram.com ipfs.io is.gd issuu.com
  jotform.com jsfiddle.net l.ead.me linkedin.com linktr.ee list-manage.com live.com lnk.bio lnkd.in
  lookerstudio.google.com mailchi.mp media.discordapp.net mediafire.com medium.com mega.io mega.nz microsoft.com msn.com
  my.canva.site notion.so objects.githubusercontent.com office.com onedrive.com onedrive.live.com outlook.com ow.ly
  padlet.com paste.ee pastebin.com pinterest.com play.google.com qrco.de quora.com raw.githubusercontent.com rb.gy
  rebrand.ly reddit.com s.id script.google.com sendgrid.net sendspace.com share.google shorturl.at sites.google.com
  slack.com slideshare.net smartsheet.com soundcloud.com sourceforge.net spotify.com steamcommunity.com
  storage.googleapis.com strikingly.com substack.com surveymonkey.com sway.office.com t.co t.ly t.me telegra.ph
  telegram.me telegram.org tiny.cc tinyurl.com transfer.sh translate.goog translate.google.com trello.com twitch.tv
  twitter.com v.gd vimeo.com vk.com wa.me wasabisys.com webnode.page weeblysite.com wetransfer.com whatsapp.com
  wikimedia.org wikipedia.org wix.com x.com yahoo.com yandex.com yandex.ru youtu.be youtube.com zoom.us
  `
    .trim()
    .split(/\s+/),
)

/** Whether a listing of this very name would hit unrelated users: a public suffix (PSL, both sections) or a platform. */
export function isShared(name: string): boolean {
  const { host, shared } = identify(name)
  return shared || published.has(host)
}

/**
 * Last segments of paths where the query selects the content: redirectors, viewers, searches. The path alone stands for
 * everything that the service shows there.
 */
const selectors =
  /^(?:url|amp|l|r|u|out|away|go|link|linkfilter|click|aclk|ck|redir|redirect|forward|interstitial|attribution_link|open|uc|download|file|view|viewer|watch|playlist|search|share|sharer|details|translate|website|login|signin|index|responsepage)?(?:\.[a-z]{2,5})?$/i

/** Whether the path names one page of a shared host, whatever its query is. */
export const isPageWithoutQuery = (path: string): boolean => {
  const segments = path.split('/').filter(segment => segment !== '')
  return !selectors.test(segments.at(-1) ?? '')
}

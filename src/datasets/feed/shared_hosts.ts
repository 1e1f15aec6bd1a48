// Hosts that belong to many: what one user puts there says nothing of the host, nor of its other users.
import { getPublicSuffix } from 'tldts'
import { isPlatform } from '../../evidence/name_model/platforms.ts'

/** Where users publish below a path: documents, files, code, short links, posts. Beside these, hosts of `isPlatform`. */
const byPath: ReadonlySet<string> = new Set(
  `
  1drv.ms account.box.com amazon.com amazonaws.com anonfiles.com app.box.com app.link apple.com archive.org bit.ly
  bitbucket.org blogger.com box.com bsky.app canva.com catbox.moe cdn.discordapp.com cloudflare-ipfs.com cloudinary.com
  cutt.ly dailymotion.com deviantart.com discord.com discord.gg discordapp.com disk.yandex.com disk.yandex.ru
  docs.google.com docs.googleusercontent.com drive.google.com drive.usercontent.google.com dropbox.com
  dropboxusercontent.com evernote.com facebook.com fb.me figma.com files.catbox.moe firebasestorage.googleapis.com
  flickr.com form.jotform.com forms.gle forms.office.com gist.github.com gist.githubusercontent.com github.com
  githubusercontent.com gitlab.com gofile.io goo.gl google.com googleapis.com googleusercontent.com hackmd.io imgur.com
  instagram.com ipfs.io is.gd issuu.com jotform.com l.ead.me linkedin.com linktr.ee live.com lnkd.in mediafire.com
  medium.com mega.io mega.nz microsoft.com msn.com notion.so ow.ly objects.githubusercontent.com office.com onedrive.com
  onedrive.live.com outlook.com pastebin.com paste.ee pinterest.com play.google.com qrco.de raw.githubusercontent.com
  rb.gy rebrand.ly reddit.com s.id script.google.com sendspace.com shorturl.at sites.google.com slack.com slideshare.net
  soundcloud.com sourceforge.net spotify.com steamcommunity.com storage.googleapis.com surveymonkey.com t.co t.ly t.me
  telegra.ph telegram.me telegram.org tinyurl.com transfer.sh translate.goog trello.com twitch.tv twitter.com
  v.gd vimeo.com vk.com wa.me wetransfer.com whatsapp.com wikimedia.org wikipedia.org x.com yahoo.com yandex.com
  yandex.ru youtu.be youtube.com
  `
    .trim()
    .split(/\s+/),
)

const suffixOptions = { extractHostname: false, validateHostname: false, detectIp: false, allowPrivateDomains: true }

/** Whether a listing of just this name would condemn strangers: a public suffix (PSL, both sections) or a platform. */
export function isShared(name: string): boolean {
  const bare = name.startsWith('www.') ? name.slice(4) : name
  return byPath.has(bare) || isPlatform(bare) || getPublicSuffix(bare, suffixOptions) === bare
}

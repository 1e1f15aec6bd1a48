// Social networks: their domains, and the paths of their profiles.

export interface SocialNetwork {
  readonly id: string
  /** Registrable domains. */
  readonly domains: readonly string[]
  /** More hosts with profiles, besides the bare domain, `www`, mobile and language hosts. `*`: each host is a profile. */
  readonly hosts?: readonly string[]
  /**
   * Paths of profiles. `{}` is a name, optionally after a sign (`@{}`). `{a}` is a name that is not all digits, because
   * all digits is a video ID. A query parameter may hold the name (`?id`).
   */
  readonly profiles: readonly string[]
}

/** First path segments and names of a network's own pages and of share buttons. */
export const RESERVED: ReadonlySet<string> = new Set(
  `about account accounts activity ads api app apps articles assets auth blog business careers cdn channels company
  compose contact cookies create css developer developers dialog directory discover docs download embed events
  everyone explore feed feeds features for_you groups hashtag help home i img images in inbox index index.html
  index.php intent invite jobs js learning legal library link live login login.php logout marketplace me media
  messages mobile music new news notifications oauth oembed offsite_event open p pages pin plugins policies policy
  popular posts premium press pricing privacy product profile profile.php public pulse r recover reel reels register
  rss rules safety search security send settings share share.php sharearticle sharer sharer.php shop shorts signin signup
  site sitemap static status stories store submit support terms tos topics tr trending update us user users video
  videos watch web wall.php widget widgets`.split(/\s+/),
)

const network = (id: string, domains: string, profiles: string, hosts = ''): SocialNetwork => ({
  id,
  domains: domains.split(' '),
  profiles: profiles.split(' '),
  hosts: hosts === '' ? [] : hosts.split(' '),
})

export const socialNetworks: readonly SocialNetwork[] = [
  network('facebook', 'facebook.com fb.com fb.me', '/{} /pages/{}/{} /people/{}/{} /p/{} /groups/{} /profile.php?id'),
  network('messenger', 'm.me messenger.com', '/{} /t/{}'),
  network('instagram', 'instagram.com instagr.am', '/{}'),
  network('threads', 'threads.net threads.com', '/@{}'),
  network('x', 'x.com twitter.com', '/{}'),
  network('bluesky', 'bsky.app', '/profile/{}'),
  network('linkedin', 'linkedin.com', '/in/{} /company/{} /school/{} /showcase/{} /pub/{}'),
  network('xing', 'xing.com', '/profile/{} /pages/{} /companies/{}'),
  network('youtube', 'youtube.com', '/@{} /channel/{} /c/{} /user/{}'),
  network('tiktok', 'tiktok.com', '/@{}'),
  network('pinterest', 'pinterest.com pinterest.de pinterest.fr pinterest.co.uk pinterest.es pinterest.it', '/{}'),
  network('snapchat', 'snapchat.com', '/add/{} /@{}'),
  network('reddit', 'reddit.com', '/r/{} /u/{} /user/{}', 'old new'),
  network('whatsapp', 'wa.me whatsapp.com', '/{} /channel/{} /send?phone', 'api chat'),
  network('telegram', 't.me telegram.me', '/{} /s/{}'),
  network('discord', 'discord.gg', '/{}'),
  network('discord', 'discord.com', '/invite/{}'),
  network('twitch', 'twitch.tv', '/{}'),
  network('kick', 'kick.com', '/{}'),
  network('vimeo', 'vimeo.com', '/{a} /channels/{}'),
  network('dailymotion', 'dailymotion.com', '/{}'),
  network('rumble', 'rumble.com', '/c/{} /user/{}'),
  network('github', 'github.com', '/{} /orgs/{}'),
  network('gitlab', 'gitlab.com', '/{}'),
  network('codeberg', 'codeberg.org', '/{}'),
  network('stack_overflow', 'stackoverflow.com', '/users/{}/{} /users/{}'),
  network('medium', 'medium.com', '/@{} /{}', '*'),
  network('substack', 'substack.com', '/@{}', '*'),
  network('tumblr', 'tumblr.com', '/{} /blog/{}', '*'),
  network('patreon', 'patreon.com', '/{} /c/{}'),
  network('soundcloud', 'soundcloud.com', '/{}'),
  network('spotify', 'spotify.com', '/artist/{} /user/{} /show/{}', 'open'),
  network('bandcamp', 'bandcamp.com', '/{}', '*'),
  network('behance', 'behance.net', '/{}'),
  network('dribbble', 'dribbble.com', '/{}'),
  network('deviantart', 'deviantart.com', '/{}', '*'),
  network('flickr', 'flickr.com', '/people/{} /photos/{}'),
  network('goodreads', 'goodreads.com', '/author/show/{} /user/show/{}'),
  network('yelp', 'yelp.com', '/biz/{}'),
  network('linktree', 'linktr.ee', '/{}'),
  network('slideshare', 'slideshare.net', '/{}'),
  network('vk', 'vk.com vk.ru', '/{}'),
  network('odnoklassniki', 'ok.ru', '/{} /group/{} /profile/{}'),
  network('weibo', 'weibo.com', '/{} /u/{}'),
  network('line', 'line.me', '/R/ti/p/{} /ti/p/{}', 'page'),
]

// Social networks, messengers, streaming and games.
import { brand, everyday } from '../brand.ts'

export const social = [
  brand(
    'Facebook',
    'facebook facebookbusiness fbsupport',
    'facebook.com fb.com messenger.com meta.com workplace.com fbcdn.net facebook.net fb.me facebookmail.com fb.gg facebookblueprint.com facebookbrand.com oculus.com fbsbx.com internet.org facebook.design facebookconnect.com facebookcareers.com facebook.org fb.watch',
  ),
  everyday('Meta', 'meta', 'meta.com facebook.com metacareers.com metaquest.com meta.ai'),
  brand(
    'Instagram',
    'instagram',
    'instagram.com cdninstagram.com ig.me instagr.am instagram-engineering.com threads.net threads.com instagram-brand.com',
  ),
  brand('WhatsApp', 'whatsapp', 'whatsapp.com whatsapp.net wa.me whatsapp.org whatsappbrand.com'),
  everyday('Messenger', 'messenger', 'messenger.com m.me'),
  brand('Telegram', 'telegram', 'telegram.org t.me telegram.me telegram.dog telegra.ph telesco.pe telegram.space'),
  brand(
    'LinkedIn',
    'linkedin',
    'linkedin.com licdn.com lnkd.in linkedin.cn linkedinlearning.com linkedinlabs.com linkedin.org',
  ),
  brand(
    'TikTok',
    'tiktok',
    'tiktok.com tiktokcdn.com tiktokv.com bytedance.com ttwstatic.com tiktokcdn-us.com tiktokshop.com tiktokglobalshop.com tiktok-row.net tiktokforbusiness.com tiktokmusic.app',
  ),
  brand(
    'Snapchat',
    'snapchat',
    'snapchat.com snap.com sc-cdn.net snapads.com snapkit.com sc-static.net bitmoji.com snapchat-brand.com',
  ),
  brand(
    'Twitter',
    'twitter',
    'twitter.com x.com t.co twimg.com twttr.com tweetdeck.com twitter.co.jp twitterinc.com periscope.tv twittercommunity.com',
  ),
  brand(
    'Reddit',
    'reddit',
    'reddit.com redditstatic.com redd.it redditmedia.com redditinc.com reddithelp.com redditblog.com redditgifts.com redditspace.com',
  ),
  brand('Pinterest', 'pinterest', 'pinterest.com pinimg.com pin.it pinterestcareers.com pinterestmail.com'),
  brand(
    'Discord',
    'discord discordapp discordnitro',
    'discord.com discord.gg discordapp.com discordapp.net discord.media discordstatus.com discord.new discord.dev discord.gift discord.gifts discordmerch.com dis.gd discordcdn.com',
  ),
  brand('VKontakte', 'vkontakte', 'vk.com vkontakte.ru vk.me vkontakte.com'),
  everyday('Odnoklassniki', 'odnoklassniki', 'ok.ru odnoklassniki.ru'),
  everyday('Viber', 'viber', 'viber.com vb.me'),
  brand(
    'WeChat',
    'wechat weixin',
    'wechat.com weixin.com weixin.qq.com wechatpay.com.cn wechatapp.com wechatcdn.com weixinbridge.com',
  ),
  brand(
    'Netflix',
    'netflix',
    'netflix.com netflix.net nflximg.net nflxvideo.net nflxext.com nflxso.net netflixtechblog.com netflixstudios.com netflixinvestor.com fast.com netflix.shop netflixanimation.com netflix',
  ),
  brand(
    'Spotify',
    'spotify',
    'spotify.com scdn.co spotify.net spotifycdn.com spoti.fi spotifyforbrands.com spotifyartists.com byspotify.com spotify.design spotifyjobs.com spotify.link spotifycharts.com atspotify.com',
  ),
  brand('Disney+', 'disneyplus', 'disneyplus.com disney.com disney-plus.net go.com dssott.com bamgrid.com'),
  brand('Hulu', 'hulu', 'hulu.com hulu.jp huluim.com hulustream.com huluad.com'),
  brand('HBO Max', 'hbomax', 'hbomax.com max.com hbo.com hbomaxcdn.com'),
  brand('Prime Video', 'primevideo amazonprime', 'primevideo.com amazon.com amazonprime.com'),
  brand(
    'Twitch',
    'twitch twitchtv',
    'twitch.tv twitch.com twitchcdn.net ttvnw.net twitchcon.com jtvnw.net ext-twitch.tv twitchsvc.net',
  ),
  brand('Dazn', 'dazn', 'dazn.com'),
  brand(
    'Steam',
    'steamcommunity steampowered',
    'steampowered.com steamcommunity.com valvesoftware.com steamstatic.com steamcontent.com steamusercontent.com steamgames.com s.team steamserver.net steam-chat.com steamdeck.com valve.net',
  ),
  everyday('Steam', 'steam', 'steampowered.com steamcommunity.com'),
  brand('Roblox', 'roblox', 'roblox.com rbxcdn.com rbx.com robloxlabs.com robloxdev.com roblox.cn roblox.com.tr'),
  brand(
    'Epic Games',
    'epicgames fortnite',
    'epicgames.com fortnite.com unrealengine.com epicgames.dev epicgamescdn.com',
  ),
  brand(
    'Minecraft',
    'minecraft',
    'minecraft.net mojang.com minecraftservices.com minecrafteduservices.com minecraft-services.net',
  ),
  brand(
    'PlayStation',
    'playstation',
    'playstation.com playstation.net sonyentertainmentnetwork.com playstationnetwork.com psn.com sony.com playstationstore.com playstationmusic.com',
  ),
  brand(
    'Nintendo',
    'nintendo',
    'nintendo.com nintendo.co.jp nintendo.net nintendo-europe.com nintendo.eu nintendoswitch.com',
  ),
  everyday('Blizzard', 'blizzard battlenet', 'blizzard.com battle.net battlenet.com.cn'),
  brand('Riot Games', 'riotgames leagueoflegends', 'riotgames.com leagueoflegends.com playvalorant.com riotcdn.net'),
  everyday('Ubisoft', 'ubisoft', 'ubisoft.com ubi.com ubisoftconnect.com ubisoft.org'),
  brand('OnlyFans', 'onlyfans', 'onlyfans.com'),
  everyday('Tinder', 'tinder', 'tinder.com gotinder.com tinderpressroom.com'),
  brand('Badoo', 'badoo', 'badoo.com badoocdn.com bumble.com'),
]

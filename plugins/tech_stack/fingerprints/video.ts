// Films and sound.
import { className, element, file, from, packaged, resource, technologies } from '../marks.ts'

export const video = technologies('video', [
  ['Brightcove', [from('players.brightcove.net'), element('video-js')]],
  ['Dailymotion', [resource('dailymotion.com/embed/')]],
  ['JW Player', [from('cdn.jwplayer.com'), from('content.jwplatform.com'), file('jwplayer.js')]],
  ['Kaltura', [from('cdnapisec.kaltura.com'), from('kaltura.com')]],
  ['Loom', [resource('loom.com/embed/')]],
  ['Mux', [from('stream.mux.com'), element('mux-player')]],
  ['Plyr', [packaged('plyr'), file('plyr.js'), file('plyr.min.js')]],
  ['Spotify Embed', [resource('open.spotify.com/embed')]],
  ['Twitch', [from('player.twitch.tv'), from('embed.twitch.tv')]],
  ['Video.js', [packaged('video.js'), from('vjs.zencdn.net'), className('video-js'), file('video.min.js')]],
  ['Vidyard', [from('play.vidyard.com')]],
  ['Vimeo', [from('player.vimeo.com')]],
  ['Wistia', [from('fast.wistia.com'), from('fast.wistia.net'), className('wistia_embed')]],
  [
    'YouTube',
    [
      resource('youtube.com/embed/'),
      resource('youtube-nocookie.com/embed/'),
      resource('youtube.com/iframe_api'),
      element('lite-youtube'),
    ],
  ],
])

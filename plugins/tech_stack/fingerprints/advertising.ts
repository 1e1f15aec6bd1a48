// Advertising and its measurement.
import { className, cookie, file, from, inline, meta, resource, technologies } from '../marks.ts'

export const advertising = technologies('advertising', [
  ['AdRoll', [from('adroll.com'), inline('adroll_adv_id')]],
  ['Amazon Advertising', [from('amazon-adsystem.com')]],
  ['AppNexus', [from('adnxs.com')]],
  ['Criteo', [from('criteo.com'), from('criteo.net')]],
  [
    'Google Ad Manager',
    [
      resource('securepubads.g.doubleclick.net/tag/js/gpt.js'),
      resource('googletagservices.com/tag/js/gpt.js'),
      inline('googletag.cmd'),
    ],
  ],
  [
    'Google Ads',
    [resource('googleadservices.com/pagead/'), from('googleads.g.doubleclick.net'), inline("gtag('config', 'AW-")],
  ],
  ['Google AdSense', [from('pagead2.googlesyndication.com'), className('adsbygoogle'), meta('google-adsense-account')]],
  ['LinkedIn Insight Tag', [from('snap.licdn.com'), inline('_linkedin_partner_id')]],
  ['Media.net', [from('contextual.media.net')]],
  [
    'Meta Pixel',
    [
      from('connect.facebook.net', { path: '/fbevents.js' }),
      inline("fbq('init'"),
      inline('fbq("init"'),
      cookie('_fbp'),
    ],
  ],
  ['Microsoft Advertising', [from('bat.bing.com'), inline('bat.bing.com/bat.js')]],
  ['Outbrain', [from('widgets.outbrain.com'), from('amplify.outbrain.com'), className('OUTBRAIN')]],
  ['Pinterest Tag', [from('s.pinimg.com'), inline("pintrk('load'")]],
  ['Prebid', [file('prebid'), inline('pbjs.que')]],
  ['PubMatic', [from('pubmatic.com')]],
  ['Reddit Pixel', [from('www.redditstatic.com'), inline("rdt('init'")]],
  ['Snap Pixel', [from('sc-static.net'), inline("snaptr('init'")]],
  ['Taboola', [from('cdn.taboola.com'), inline('_taboola')]],
  ['The Trade Desk', [from('js.adsrvr.org')]],
  ['TikTok Pixel', [from('analytics.tiktok.com'), inline('analytics.tiktok.com/i18n/pixel')]],
  ['X Ads', [from('static.ads-twitter.com'), inline('static.ads-twitter.com')]],
])

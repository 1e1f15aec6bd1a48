// Other things pages embed.
import { attribute, className, from, id, inline, resource, technologies } from '../marks.ts'

export const widget = technologies('widget', [
  ['AccessiBe', [from('acsbapp.com'), from('acsbap.com')]],
  ['AddThis', [from('s7.addthis.com')]],
  ['AddToAny', [from('static.addtoany.com')]],
  ['AudioEye', [from('wsmcdn.audioeye.com'), from('audioeye.com')]],
  ['Bazaarvoice', [from('apps.bazaarvoice.com'), attribute('data-bv-show')]],
  ['Elfsight', [from('apps.elfsight.com'), from('static.elfsight.com'), from('elfsightcdn.com')]],
  [
    'Facebook Widgets',
    [
      resource('facebook.com/plugins/'),
      from('connect.facebook.net', { path: '/sdk' }),
      from('connect.facebook.net', { path: '/all.js' }),
      className('fb-page'),
      className('fb-like'),
    ],
  ],
  ['Feefo', [from('api.feefo.com')]],
  ['Google Translate', [resource('translate.google.com/translate_a/element.js'), id('google_translate_element')]],
  ['GTranslate', [from('cdn.gtranslate.net'), className('gtranslate_wrapper')]],
  ['Instagram Embed', [resource('instagram.com/embed.js'), className('instagram-media')]],
  ['Jotform', [from('form.jotform.com'), from('jotfor.ms')]],
  ['Judge.me', [from('judge.me'), className('jdgm-widget')]],
  ['ProvenExpert', [from('provenexpert.com')]],
  ['ShareThis', [from('sharethis.com')]],
  ['SurveyMonkey', [from('widget.surveymonkey.com')]],
  ['Trusted Shops', [from('widgets.trustedshops.com'), inline('widgets.trustedshops.com')]],
  ['Trustpilot', [from('widget.trustpilot.com'), className('trustpilot-widget')]],
  ['UserWay', [from('cdn.userway.org')]],
  ['Weglot', [from('cdn.weglot.com')]],
  [
    'X Widgets',
    [resource('platform.twitter.com/widgets.js'), className('twitter-tweet'), className('twitter-timeline')],
  ],
])

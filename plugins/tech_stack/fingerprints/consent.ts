// Consent to cookies.
import { attribute, className, cookie, file, from, id, resource, technologies } from '../marks.ts'

export const consent = technologies('consent', [
  [
    'Borlabs Cookie',
    [resource('/wp-content/plugins/borlabs-cookie'), id('BorlabsCookieBox'), cookie('borlabs-cookie')],
    ['WordPress'],
  ],
  ['CCM19', [resource('/ccm19.js'), from('ccm19.de')]],
  ['Complianz', [resource('/wp-content/plugins/complianz-gdpr'), id('cmplz-cookiebanner-container')], ['WordPress']],
  ['consentmanager', [from('consentmanager.net'), from('consentmanager.mgr.consensu.org')]],
  [
    'Cookiebot',
    [
      from('consent.cookiebot.com'),
      id('Cookiebot'),
      attribute('data-cookieconsent'),
      cookie('CookieConsent', { confidence: 60 }),
    ],
  ],
  ['CookieScript', [from('cookie-script.com')]],
  [
    'CookieYes',
    [from('cdn-cookieyes.com'), resource('/wp-content/plugins/cookie-law-info/'), cookie('cookieyes-consent')],
  ],
  ['Didomi', [from('sdk.privacy-center.org'), cookie('didomi_token')]],
  ['Iubenda', [from('cdn.iubenda.com'), className('iubenda-embed')]],
  ['Klaro', [file('klaro.js'), id('klaro')]],
  [
    'OneTrust',
    [
      from('cdn.cookielaw.org'),
      id('onetrust-consent-sdk'),
      from('optanon.blob.core.windows.net'),
      cookie('OptanonConsent'),
    ],
  ],
  ['Osano', [from('cmp.osano.com')]],
  ['Quantcast Choice', [from('cmp.quantcast.com'), resource('quantcast.mgr.consensu.org')]],
  ['Real Cookie Banner', [resource('/wp-content/plugins/real-cookie-banner')], ['WordPress']],
  ['Sourcepoint', [from('sourcepoint.mgr.consensu.org'), from('cdn.privacy-mgmt.com')]],
  ['tarteaucitron', [resource('/tarteaucitron.js'), id('tarteaucitronRoot')]],
  ['Termly', [from('app.termly.io')]],
  ['TrustArc', [from('consent.trustarc.com'), from('consent.truste.com'), cookie('notice_preferences')]],
  ['Usercentrics', [from('usercentrics.eu'), id('usercentrics-cmp'), id('usercentrics-root')]],
])

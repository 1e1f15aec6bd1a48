// Tag managers.
import { cookie, from, inline, resource, technologies } from '../patterns.ts'

export const tag_manager = technologies('tag_manager', [
  ['Adobe Experience Platform Launch', [from('assets.adobedtm.com')]],
  ['Commanders Act', [from('cdn.tagcommander.com')]],
  ['Ensighten', [from('nexus.ensighten.com')]],
  [
    'Google Tag Manager',
    [
      resource('googletagmanager.com/gtm.js'),
      resource('googletagmanager.com/ns.html'),
      inline('googletagmanager.com/gtm.js'),
    ],
  ],
  ['Matomo Tag Manager', [inline('_mtm.push')], ['Matomo']],
  ['Piwik PRO', [from('piwik.pro'), from('containers.piwik.pro')]],
  ['Tealium', [from('tags.tiqcdn.com'), inline('tags.tiqcdn.com'), cookie('utag_main')]],
])

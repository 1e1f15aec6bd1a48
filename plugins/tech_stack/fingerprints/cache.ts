// Caches.
import { header, headerWith, resource, server, technologies } from '../patterns.ts'

export const cache = technologies('cache', [
  ['Batcache', [headerWith('x-nananana', 'Batcache')]],
  ['Squid', [...server('squid'), headerWith('via', '(squid/', { version: '' }), headerWith('x-cache', 'from squid')]],
  [
    'Varnish',
    [header('x-varnish'), headerWith('via', 'varnish'), header('server', 'Varnish'), header('x-varnish-cache')],
  ],
  [
    'W3 Total Cache',
    [
      header('x-powered-by', 'W3 Total Cache'),
      header('x-powered-by', 'W3 Total Cache/', { version: '' }),
      resource('/wp-content/plugins/w3-total-cache/'),
    ],
    ['WordPress'],
  ],
  ['WP Rocket', [header('x-rocket-nginx-bypass'), resource('/wp-content/plugins/wp-rocket/')], ['WordPress']],
  [
    'WP Super Cache',
    [headerWith('wp-super-cache', ''), resource('/wp-content/plugins/wp-super-cache/')],
    ['WordPress'],
  ],
])

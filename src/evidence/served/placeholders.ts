// Rules for placeholders: parked and expired names, names for sale, suspended or unfinished sites, a server's default page,
// and "not found" pages sent with a status of success.
import { rulesOf } from './rule.ts'

const FEW = 300

export const parking = rulesOf('parking', [
  ['sedo', 'Sedo', { host: ['sedo.com', 'sedoparking.com'] }],
  ['sedo', 'Sedo', { markup: ['sedoparking.com', 'img.sedo.com/'], words: FEW }],
  ['godaddy', 'GoDaddy, Afternic, Dan', { host: ['afternic.com', 'dan.com', 'forsale.godaddy.com'] }],
  [
    'godaddy',
    'GoDaddy',
    { markup: ['wsimg.com/parking-lander', 'window.landers_client_config', '"/lander"', "'/lander'"], words: FEW },
  ],
  ['bodis', 'Bodis', { markup: ['bodiscdn.com', 'parking.bodis', 'window.park ='], words: FEW }],
  ['parkingcrew', 'ParkingCrew', { markup: ['parkingcrew.net', 'd38psrni17bvxu.cloudfront.net'], words: FEW }],
  ['above', 'Above.com', { markup: ['above.com/marketplace', 'parkinglogic', 'skenzo.com'], words: FEW }],
  ['hugedomains', 'HugeDomains', { host: ['hugedomains.com'] }],
  [
    'marketplace',
    'A domain marketplace',
    {
      host: [
        'atom.com',
        'brandbucket.com',
        'buydomains.com',
        'domainmarket.com',
        'efty.com',
        'undeveloped.com',
        'uniregistry.com',
        'squadhelp.com',
        'domainnamesales.com',
      ],
    },
  ],
  ['namecheap', 'Namecheap', { markup: ['parkingpage.namecheap.com'], words: FEW }],
  [
    'parking_header',
    'A parking service that names itself in a header',
    {
      header: [
        ['x-adblock-key', ''],
        ['x-domain-parking', ''],
      ],
      words: FEW,
    },
  ],
  [
    'for_sale',
    'A domain for sale',
    {
      words: FEW,
      title: [
        'domain is for sale',
        'domain for sale',
        'domain name for sale',
        'name is for sale',
        'this domain may be for sale',
        'buy this domain',
        'domain steht zum verkauf',
        'nom de domaine est en vente',
      ],
    },
  ],
  [
    'for_sale',
    'A domain for sale',
    {
      words: FEW,
      text: [
        'this domain is for sale',
        'this domain may be for sale',
        'this domain name is for sale',
        'buy this domain',
        'diese domain steht zum verkauf',
        'diese domain kaufen',
        'make an offer on this domain',
        'the owner of this domain has offered it for sale',
      ],
    },
  ],
  [
    'parked',
    'A page that says the domain is parked',
    {
      words: FEW,
      title: [
        'parked domain',
        'domain parked',
        'domain is parked',
        'domain parking',
        'parking page',
        'geparkte domain',
        'domain reserved',
      ],
    },
  ],
  [
    'parked',
    'A page that says the domain is parked',
    {
      words: FEW,
      text: [
        'this domain is parked',
        'this domain has been parked',
        'this domain name is parked',
        'domain is parked free',
        'parked domain name',
        'this domain has recently been registered',
        'this domain was recently registered',
        'this domain is registered at',
        'diese domain wurde registriert',
        'ce domaine est parqu',
      ],
    },
  ],
  [
    'expired',
    'An expired domain or plan',
    {
      words: FEW,
      text: [
        'this domain has expired',
        'this domain name has expired',
        'domain name expired',
        'this website has expired',
        'renew this domain',
        'website expired',
      ],
    },
  ],
  ['suspended', 'A suspended account', { path: ['suspendedpage.cgi'] }],
  [
    'suspended',
    'A suspended account',
    {
      words: FEW,
      title: ['account suspended', 'website suspended', 'site suspended', 'domain suspended'],
    },
  ],
  [
    'suspended',
    'A suspended account',
    {
      words: FEW,
      text: [
        'this account has been suspended',
        'this website has been suspended',
        'this domain has been suspended',
        'this site has been suspended',
        'website is temporarily suspended',
      ],
    },
  ],
  [
    'coming_soon',
    'A site that is not published yet',
    {
      words: 60,
      title: [
        'coming soon',
        'under construction',
        'site en construction',
        'website coming soon',
        'im aufbau',
        'hier entsteht',
      ],
    },
  ],
  ['server_default', 'cPanel', { path: ['defaultwebpage.cgi'] }],
  [
    'server_default',
    'The default page of a server',
    {
      words: 600,
      title: [
        'welcome to nginx!',
        'test page for the nginx',
        'default page: it works',
        'apache http server test page',
        'test page for the apache',
        'http server test page',
        'iis windows server',
        'microsoft internet information services',
        'welcome to openresty!',
        'welcome to caddy',
        'caddy works!',
        'welcome to centos',
        'apache tomcat/',
        'welcome to jboss',
        'welcome to xampp',
        'domain default page',
        "web server's default page",
        'default web site page',
        'default parallels plesk',
        'hosting platform: congratulations',
      ],
    },
  ],
  ['server_default', 'Apache httpd', { words: 5, text: ['it works!'] }],
  ['unclaimed', 'GitHub Pages', { status: [404], text: ["there isn't a github pages site here"] }],
  ['unclaimed', 'Amazon S3', { status: [404], text: ['nosuchbucket'] }],
  [
    'unclaimed',
    'Amazon S3',
    {
      status: [404],
      header: [
        ['x-amz-error-code', 'nosuchbucket'],
        ['x-amz-error-code', 'nosuchwebsiteconfiguration'],
      ],
    },
  ],
  ['unclaimed', 'Heroku', { status: [404], title: ['no such app'] }],
  ['unclaimed', 'Heroku', { status: [404], markup: ['herokucdn.com/error-pages/no-such-app.html'] }],
  ['unclaimed', 'Vercel', { status: [404], header: [['x-vercel-error', 'deployment_not_found']] }],
  ['unclaimed', 'Fastly', { text: ['fastly error: unknown domain'] }],
  ['unclaimed', 'Shopify', { text: ['sorry, this shop is currently unavailable'], words: FEW }],
  [
    'unclaimed',
    'Azure App Service',
    { status: [404], title: ['microsoft azure web app - error 404', '404 web site not found'] },
  ],
  [
    'unclaimed',
    'Azure App Service',
    { title: ['microsoft azure app service - welcome', 'your web app is running'], words: FEW },
  ],
  ['unclaimed', 'WordPress.com', { host: ['wordpress.com'], path: ['typo'] }],
  ['unclaimed', 'Squarespace', { title: ['website expired', 'squarespace - domain not claimed'], words: FEW }],
])

/** "Not found" with a status of success, which search engines call a soft 404. */
export const soft404 = rulesOf('soft_404', [
  [
    'soft_404',
    'A title that says "not found"',
    {
      status: [200],
      words: 250,
      title: [
        'page not found',
        '404 not found',
        'not found - ',
        'error 404',
        '404 error',
        "page doesn't exist",
        'page does not exist',
        'seite nicht gefunden',
        'page introuvable',
        'no encontrada',
        'pagina non trovata',
        'niet gevonden',
      ],
    },
  ],
  [
    'soft_404',
    'A short text that says "not found"',
    {
      status: [200],
      words: 80,
      text: [
        'page not found',
        '404 not found',
        'error 404',
        "the page you are looking for doesn't exist",
        'the page you requested could not be found',
        'the requested url was not found on this server',
        "page you're looking for can't be found",
        'seite nicht gefunden',
        'page introuvable',
      ],
    },
  ],
])

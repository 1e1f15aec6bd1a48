// Hosting providers and platforms.
import { cname, cookie, from, header, headerWith, ns, server, technologies } from '../patterns.ts'

export const hosting = technologies('hosting', [
  ['Acquia Cloud', [header('x-ah-environment')]],
  [
    'Amazon S3',
    [header('server', 'AmazonS3'), header('x-amz-bucket-region'), from('s3.amazonaws.com')],
    ['Amazon Web Services'],
  ],
  [
    'Amazon Web Services',
    [
      header('server', 'awselb'),
      cookie('AWSALB'),
      cookie('AWSELB'),
      cookie('AWSALBCORS'),
      cname('amazonaws.com'),
      cname('elasticbeanstalk.com'),
      header('x-amzn-requestid'),
      header('x-amzn-trace-id'),
    ],
  ],
  ['AWS Amplify', [cname('amplifyapp.com')], ['Amazon Web Services']],
  ['Azure Static Web Apps', [cname('azurestaticapps.net')], ['Microsoft Azure']],
  ['Cloudflare Pages', [cname('pages.dev')], ['Cloudflare']],
  ['Cloudways', [header('x-cloudways')]],
  ['Deno Deploy', [cname('deno.dev'), header('server', 'deno/')]],
  ['DigitalOcean App Platform', [header('x-do-app-origin'), cname('ondigitalocean.app')]],
  ['Firebase Hosting', [cname('web.app'), cname('firebaseapp.com')], ['Google Cloud']],
  ['Fly.io', [header('server', 'Fly/'), header('fly-request-id'), cname('fly.dev')]],
  ['Flywheel', [header('x-fw-server'), header('x-fw-hash'), ...server('Flywheel')]],
  ['GitHub Pages', [header('server', 'GitHub.com'), header('x-github-request-id'), cname('github.io')]],
  ['GitLab Pages', [cname('gitlab.io')]],
  [
    'Google App Engine',
    [
      header('server', 'Google Frontend'),
      header('x-cloud-trace-context'),
      header('x-appengine-log-flush-count'),
      cname('appspot.com'),
    ],
    ['Google Cloud'],
  ],
  [
    'Google Cloud',
    [header('x-goog-generation'), header('x-guploader-uploadid'), cname('googlehosted.com', { confidence: 40 })],
  ],
  [
    'Heroku',
    [headerWith('via', 'vegur'), headerWith('report-to', 'heroku-nel'), cname('herokuapp.com'), cname('herokudns.com')],
  ],
  ['Hostinger', [header('platform', 'hostinger'), header('server', 'hcdn')]],
  ['Kinsta', [header('x-kinsta-cache'), header('ki-cache-status'), header('ki-edge')]],
  [
    'Microsoft Azure',
    [
      cookie('ARRAffinity'),
      cookie('TiPMix'),
      cname('azurewebsites.net'),
      cname('cloudapp.azure.com'),
      cname('trafficmanager.net'),
      header('x-ms-request-id', '', { confidence: 70 }),
    ],
  ],
  [
    'Netlify',
    [
      header('server', 'Netlify'),
      header('x-nf-request-id'),
      cname('netlify.app'),
      cname('netlify.com'),
      cname('netlifyglobalcdn.com'),
    ],
  ],
  ['Nexcess', [cname('nexcess.net')]],
  ['Pantheon', [header('x-pantheon-styx-hostname'), header('x-styx-req-id'), cname('pantheonsite.io')]],
  ['Platform.sh', [header('x-platform-cluster'), header('x-platform-server')]],
  ['Railway', [header('x-railway-edge'), header('server', 'railway'), cname('railway.app')]],
  ['Render', [header('x-render-origin-server'), header('rndr-id'), cname('onrender.com')]],
  ['SiteGround', [header('sg-f-cache')]],
  ['Surge', [cname('surge.sh'), header('server', 'SurgeCDN')]],
  [
    'Vercel',
    [
      header('server', 'Vercel'),
      header('x-vercel-id'),
      header('x-vercel-cache'),
      cname('vercel-dns.com'),
      cname('vercel.app'),
    ],
  ],
  [
    'WordPress.com',
    [
      headerWith('x-hacker', 'wordpress.com'),
      header('host-header', 'WordPress.com'),
      ns('wordpress.com', { confidence: 80 }),
    ],
    ['WordPress'],
  ],
  [
    'WP Engine',
    [
      header('x-powered-by', 'WP Engine'),
      header('wpe-backend'),
      cname('wpengine.com'),
      cname('wpeproxy.com'),
      header('x-cacheable', 'SHORT', { confidence: 30 }),
    ],
    ['WordPress'],
  ],
])

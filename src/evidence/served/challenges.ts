// Rules for human-verification challenges, by the headers, titles and scripts that their vendors document.
import { rulesOf } from './rule.ts'

/** Usual statuses of challenges; some are sent with 200. */
const REFUSALS = [401, 403, 405, 418, 429, 503]
/** More words than any challenge page has. */
const FEW = 250

export const challenges = rulesOf('challenge', [
  ['cloudflare_challenge', 'Cloudflare managed challenge', { header: [['cf-mitigated', 'challenge']] }],
  ['cloudflare_challenge', 'Cloudflare script', { markup: ['_cf_chl_opt', '/cdn-cgi/l/chk_'], words: FEW }],
  [
    'cloudflare_challenge',
    'Cloudflare, before managed challenges',
    {
      status: [403, 503],
      title: ['just a moment...', 'ddos protection by cloudflare'],
      header: [['server', 'cloudflare']],
    },
  ],
  [
    'aws_waf_challenge',
    'AWS WAF challenge and CAPTCHA actions',
    {
      header: [
        ['x-amzn-waf-action', 'challenge'],
        ['x-amzn-waf-action', 'captcha'],
      ],
    },
  ],
  [
    'aws_waf_challenge',
    'AWS WAF script',
    { markup: ['window.awswafcookiedomainlist', 'window.gokuprops'], words: FEW },
  ],
  ['vercel_challenge', 'Vercel attack challenge mode', { header: [['x-vercel-mitigated', 'challenge']] }],
  ['vercel_challenge', 'Vercel page', { title: ['vercel security checkpoint'], words: FEW }],
  ['datadome', 'DataDome', { status: REFUSALS, markup: ['captcha-delivery.com'] }],
  [
    'datadome',
    'DataDome',
    {
      status: REFUSALS,
      header: [
        ['x-datadome', ''],
        ['x-dd-b', ''],
      ],
    },
  ],
  [
    'human_security',
    'HUMAN (PerimeterX)',
    { markup: ['px-captcha', '_pxappid', 'captcha.px-cdn.net', 'captcha.px-cloud.net'], status: REFUSALS },
  ],
  ['imperva', 'Imperva (Incapsula)', { markup: ['_incapsula_resource'], words: 40 }],
  ['imperva', 'Imperva (Incapsula)', { text: ['incapsula incident id'], words: FEW }],
  ['akamai_challenge', 'Akamai Bot Manager', { markup: ['sec-if-cpt-container', 'bm-verify='], words: FEW }],
  [
    'kasada',
    'Kasada',
    {
      status: REFUSALS,
      header: [
        ['x-kpsdk-ct', ''],
        ['x-kpsdk-r', ''],
      ],
    },
  ],
  ['sucuri_challenge', 'Sucuri CloudProxy', { markup: ['sucuri_cloudproxy_js'], words: FEW }],
  ['ddos_guard', 'DDoS-Guard', { markup: ['/.well-known/ddos-guard/', 'check.ddos-guard.net'], words: FEW }],
  ['ddos_guard', 'DDoS-Guard', { title: ['ddos-guard'], words: FEW, status: [403, 429, 503] }],
  ['siteground_captcha', 'SiteGround', { header: [['sg-captcha', 'challenge']] }],
  ['siteground_captcha', 'SiteGround', { markup: ['/.well-known/sgcaptcha/'], words: FEW }],
  ['siteground_captcha', 'SiteGround', { title: ['robot challenge screen'], words: FEW }],
  ['imunify360', 'Imunify360', { text: ['imunify360 bot-protection', 'imunify360 preloader'], words: FEW }],
  [
    'imunify360',
    'Imunify360',
    { title: ['one moment, please...'], text: ['your request is being verified'], words: FEW },
  ],
  ['litespeed_recaptcha', 'LiteSpeed', { markup: ['/.lsrecap/'], words: FEW }],
  ['anubis', 'Anubis proof of work', { markup: ['/.within.website/x/cmd/anubis/'], words: FEW }],
  ['anubis', 'Anubis proof of work', { title: ["making sure you're not a bot"], words: FEW }],
  ['bunny_shield', 'bunny.net Shield', { markup: ['/.bunny-shield/'], words: FEW }],
  ['qrator', 'Qrator', { markup: ['/__qrator/'], words: FEW }],
  ['reblaze', 'Reblaze', { markup: ['window.rbzns', 'rbzreqid'], words: FEW }],
  ['google_sorry', 'Google', { status: [429], text: ['our systems have detected unusual traffic'] }],
  [
    'captcha',
    'A CAPTCHA with a refusing status',
    {
      status: REFUSALS,
      words: FEW,
      markup: [
        'google.com/recaptcha/',
        'recaptcha.net/recaptcha/',
        'hcaptcha.com/1/api.js',
        'challenges.cloudflare.com/turnstile',
        'geetest.com',
        'friendlycaptcha',
        'smartcaptcha',
      ],
    },
  ],
  [
    'human_check',
    'A page that asks whether the client is human',
    {
      words: 120,
      title: [
        'verify you are human',
        'are you human',
        'are you a robot',
        'robot check',
        'captcha',
        'security check',
        'bot verification',
        'human verification',
        'checking your browser',
        'client challenge',
      ],
    },
  ],
  [
    'human_check',
    'A page that says it is checking the browser',
    {
      words: 120,
      text: [
        'checking your browser before',
        'verify you are human',
        'verifying you are human',
        'enable javascript and cookies to continue',
        'confirm you are not a robot',
        'prove that you are not a robot',
      ],
    },
  ],
])

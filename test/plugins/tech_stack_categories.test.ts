import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { categories, type TechnologyCategory } from '../../plugins/tech_stack/categories.ts'
import { namesOf, type Site } from './tech_stack_site.ts'

/** A site for each category, and all that is found of it. */
const sites: Readonly<Record<TechnologyCategory, readonly [site: Site, found: readonly string[]]>> = {
  web_server: [{ headers: ['server: Apache/2.4.62 (Unix)'] }, ['Apache HTTP Server 2.4.62']],
  operating_system: [{ headers: ['server: Apache/2.4.57 (Debian)'] }, ['Apache HTTP Server 2.4.57', 'Debian']],
  language: [{ headers: ['x-powered-by: PHP/8.3.11', 'set-cookie: PHPSESSID=x; path=/'] }, ['PHP 8.3.11']],
  runtime: [
    { headers: ['server: Apache/2.4.6 (CentOS) OpenSSL/1.0.2k-fips'] },
    ['Apache HTTP Server 2.4.6', 'CentOS', 'OpenSSL 1.0.2k'],
  ],
  web_framework: [
    {
      headers: ['x-powered-by: Next.js 15.1'],
      html: '<div id="__next"></div><script src="/_next/static/chunks/main.js"></script>',
    },
    ['Node.js', 'Next.js 15.1', 'React'],
  ],
  javascript_framework: [
    {
      html: '<app-root ng-version="17.3.0" _nghost-abc-c12></app-root><script src="https://unpkg.com/vue@2.7.16/dist/vue.js"></script>',
    },
    ['Angular', 'Vue.js 2.7.16', 'unpkg'],
  ],
  javascript_library: [
    {
      html: `<script src="https://code.jquery.com/jquery-3.7.1.min.js"></script>
        <script src="https://cdn.jsdelivr.net/npm/swiper@11.1.4/swiper-bundle.min.js"></script>
        <script src="/js/lodash.min.js"></script>`,
    },
    ['jQuery 3.7.1', 'Lodash', 'Swiper 11.1.4', 'jQuery CDN', 'jsDelivr'],
  ],
  css_framework: [
    { html: '<link rel="stylesheet" href="https://stackpath.bootstrapcdn.com/bootstrap/4.5.2/css/bootstrap.min.css">' },
    ['Bootstrap 4.5.2', 'BootstrapCDN'],
  ],
  static_site_generator: [{ html: '<meta name="generator" content="Hugo 0.128.2">' }, ['Go', 'Hugo 0.128.2']],
  cms: [
    {
      headers: ['link: <https://example.com/wp-json/>; rel="https://api.w.org/"'],
      html: '<meta name="generator" content="WordPress 6.6.2"><link rel="stylesheet" href="/wp-content/themes/x/style.css">',
    },
    ['PHP', 'WordPress 6.6.2', 'MySQL'],
  ],
  cms_extension: [
    {
      html: `<!-- This site is optimized with the Yoast SEO plugin v23.4 - https://yoast.com/ -->
        <link rel="stylesheet" href="/wp-content/plugins/elementor/assets/css/frontend.min.css?ver=3.24.4">`,
    },
    ['PHP', 'WordPress', 'Elementor 3.24.4', 'Yoast SEO 23.4', 'MySQL'],
  ],
  site_builder: [{ headers: ['x-wix-request-id: 1', 'server: Pepyaka'] }, ['Wix']],
  shop: [
    { headers: ['powered-by: Shopify'], html: '<script src="https://cdn.shopify.com/s/files/1/theme.js"></script>' },
    ['Shopify'],
  ],
  community: [
    { html: '<meta name="generator" content="Discourse 3.4.0 - https://www.discourse.org">' },
    ['Ruby', 'Ruby on Rails', 'Discourse 3.4.0'],
  ],
  learning: [{ headers: ['set-cookie: MoodleSession=x; path=/'] }, ['PHP', 'Moodle']],
  business_software: [{ headers: ['x-jenkins: 2.462.2'] }, ['Java', 'Jenkins 2.462.2']],
  control_panel: [{ headers: ['x-powered-by: PleskLin', 'server: nginx'] }, ['nginx', 'Plesk']],
  database: [
    { html: '<script src="https://www.gstatic.com/firebasejs/10.13.1/firebase-app.js"></script>' },
    ['Firebase 10.13.1'],
  ],
  cache: [{ headers: ['x-varnish: 123 456', 'via: 1.1 varnish (Varnish/7.1)'] }, ['Varnish']],
  cdn: [{ headers: ['server: cloudflare', 'cf-ray: 8c0-FRA'] }, ['Cloudflare']],
  hosting: [{ headers: ['server: Vercel', 'x-vercel-id: fra1::x'] }, ['Vercel']],
  dns: [{ ns: ['ns-1.awsdns-00.com', 'ns-2.awsdns-01.co.uk'] }, ['Amazon Web Services', 'Amazon Route 53']],
  security: [{ headers: ['set-cookie: visid_incap_123=x', 'x-iinfo: 1-2'] }, ['Imperva']],
  captcha: [{ html: '<script src="https://www.google.com/recaptcha/api.js"></script>' }, ['reCAPTCHA']],
  authentication: [{ html: '<script src="https://accounts.google.com/gsi/client"></script>' }, ['Google Sign-In']],
  email: [
    { zone: { 'example.com': { MX: [{ preference: 1, exchange: 'aspmx.l.google.com' }] } } },
    ['Google Workspace'],
  ],
  email_delivery: [
    { zone: { 'example.com': { TXT: ['v=spf1 include:sendgrid.net include:servers.mcsv.net -all'] } } },
    ['Mailchimp', 'SendGrid'],
  ],
  email_security: [
    { zone: { 'example.com': { MX: [{ preference: 1, exchange: 'mx1.example.pphosted.com' }] } } },
    ['Proofpoint'],
  ],
  office_suite: [{ txt: ['slack-domain-verification=x', 'ZOOM_verify_x'] }, ['Slack', 'Zoom']],
  payment: [{ html: '<script src="https://js.stripe.com/v3/"></script>' }, ['Stripe']],
  analytics: [
    { html: '<script defer data-domain="example.com" src="https://plausible.io/js/script.js"></script>' },
    ['Plausible'],
  ],
  tag_manager: [
    { html: '<iframe src="https://www.googletagmanager.com/ns.html?id=GTM-X"></iframe>' },
    ['Google Tag Manager'],
  ],
  advertising: [{ html: "<script>fbq('init', '1')</script>" }, ['Meta Pixel']],
  testing: [{ html: '<script src="https://cdn.optimizely.com/js/1.js"></script>' }, ['Optimizely']],
  monitoring: [{ html: '<script>Sentry.init({})</script>' }, ['Sentry']],
  marketing: [{ html: '<script src="//js.hs-scripts.com/1.js"></script>' }, ['HubSpot Marketing']],
  consent: [{ html: '<script src="https://consent.cookiebot.com/uc.js" id="Cookiebot"></script>' }, ['Cookiebot']],
  chat: [{ html: '<script src="https://embed.tawk.to/1/default"></script>' }, ['Tawk.to']],
  search: [
    {
      html: '<script src="https://cdn.jsdelivr.net/npm/algoliasearch@4.24.0/dist/algoliasearch-lite.umd.js"></script>',
    },
    ['jsDelivr', 'Algolia 4.24.0'],
  ],
  font: [{ html: '<link rel="preconnect" href="https://fonts.gstatic.com">' }, ['Google Fonts']],
  video: [{ html: '<iframe src="https://www.youtube-nocookie.com/embed/x"></iframe>' }, ['YouTube']],
  map: [{ html: '<script src="https://maps.googleapis.com/maps/api/js"></script>' }, ['Google Maps']],
  widget: [{ html: '<div class="trustpilot-widget"></div>' }, ['Trustpilot']],
  saas: [{ txt: ['google-site-verification=x', 'stripe-verification=y'] }, ['Stripe', 'Google Search Console']],
}

describe('tech_stack finds, of each category', () => {
  for (const category of categories) {
    const [site, found] = sites[category]
    it(`${category}: ${found.join(', ')}`, async () => assert.deepEqual(await namesOf(site), found))
  }
})

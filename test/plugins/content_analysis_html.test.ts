import assert from 'node:assert/strict'
import { it } from 'node:test'
import seo_health from '../../plugins/seo_health/index.ts'
import { createPageParser } from '../../src/evidence/document/page_parser.ts'
import { describeServed } from '../../src/evidence/served/gather.ts'
import { pageOf } from '../../src/testing/page_of.ts'
import { EXAMPLE } from '../engine/engine_of.ts'
import { findingOf, sectionOf } from './content_analysis_page.ts'

const HOME = 'https://example.com/'

function parse(html: string) {
  const parser = createPageParser(HOME, 'text/html; charset=utf-8')
  parser.write(Buffer.from(html))
  return parser.end(false)
}

const shop = parse(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Acme &amp; Sons</title>
<meta name="Description" content="Hand tools and machines for every workshop, made in our own factory.">
<meta property="og:site_name" content="Acme"><link rel="Canonical" href="/">
<meta name="viewport" content="width=device-width"></head><body><h1>Tools</h1>
<p>Write to sales&#64;example.com, office [at] example [dot] com or
<a href="/cdn-cgi/l/email-protection" class="__cf_email__" data-cfemail="5a303b343f1a3f223b372a363f74393537">[email&#160;protected]</a>,
call <a href="tel:+49-30-901820">us</a>. <img src="logo@2x.png" alt="logo@2x.png"></p>
<a href="https://www.facebook.com/acme/?ref=x">Facebook</a>
<a href="https://www.facebook.com/sharer/sharer.php?u=x">Share</a>
<form action="https://login.example.com/" method="POST"><input name="u"><input type="PASSWORD" name="p"></form>
</body></html>`)

it('reads contacts, profiles and forms off a page as it is sent', () => {
  const { title, description, canonical, emails, phones, social_links, forms } = sectionOf(shop)
  assert.deepEqual(
    { title, description, canonical, emails, phones, social_links, forms },
    {
      title: 'Acme & Sons',
      description: 'Hand tools and machines for every workshop, made in our own factory.',
      canonical: HOME,
      emails: ['jane@example.com', 'sales@example.com', 'office@example.com'],
      phones: ['+4930901820'],
      social_links: ['https://www.facebook.com/acme'],
      forms: {
        total: 1,
        with_password: 1,
        password_outside: false,
        items: [{ method: 'post', action: 'https://login.example.com/', destination: 'same_site', has_password: true }],
      },
    },
  )
  assert.deepEqual(findingOf(shop).signals, [])
})

it('finds a kit as it is sent', () => {
  const kit =
    parse(`<title>PayPal: Log in</title><meta http-equiv="Refresh" content="0; URL='https://other.example.net/'">
    <input type=password><script>window . location = atob ("aHR0cHM6Ly8=")</script>
    <script>var u = "https://api.telegram.org/bot1:x/sendMessage"</script>`)
  assert.deepEqual(
    (findingOf(kit).signals ?? []).map(({ id }) => id),
    [
      'resembles_phishing_page',
      'impersonated_brand',
      'credentials_to_messenger_bot',
      'obfuscated_redirect',
      'refresh_to_other_site',
    ],
  )
})

it('grades a page as it is sent', () => {
  const page = pageOf({ url: HOME })
  const finding = seo_health.analyze(
    { page, document: shop, served: describeServed(page, shop), crawl_files: null, entrances: null },
    { target: EXAMPLE, options: { crawler: 'Googlebot' }, missing: {}, now: new Date(0) },
  )
  assert.ok('section' in finding)
  assert.deepEqual(
    finding.section.issues?.map(({ code }) => code),
    ['little_text'],
  )
})

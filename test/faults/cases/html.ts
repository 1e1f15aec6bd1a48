// F and G: what pages, robots.txt and sitemaps are made of.
import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import type { LabResponse } from '../../../src/testing/lab_web.ts'
import type { Expected, FaultCase } from '../case.ts'
import { healthyPage, PAGE } from '../healthy.ts'
import { statusOf } from '../play.ts'

const html = (
  row: number,
  of: string,
  body: () => string | Buffer,
  expect: Expected = {},
  type = 'text/html; charset=utf-8',
): FaultCase => ({
  row,
  of,
  world: ({ name, address, issue }) => {
    const made = body()
    return {
      sites: [
        {
          host: name,
          addresses: [address],
          credentials: issue(),
          https: ({ url }) => (url === '/' ? { body: made, headers: [['Content-Type', type]] } : { status: 404 }),
        },
      ],
    }
  },
  expect: { sections: { web: 'completed' }, ...expect },
})

const title = (text: string) => `<html><head><title>${text}</title></head><body>x</body></html>`
const wellFormed = (field: string, most: number): Expected => ({
  holds: ({ answer }) => {
    const value = String((answer.body['content_analysis'] as Record<string, unknown>)[field] ?? '')
    assert.ok(
      value.length <= most && value.isWellFormed() && !/[\u0000-\u001f\u007f\u202e]/.test(value),
      JSON.stringify(value.slice(0, 80)),
    )
  },
})
const listed = (field: string, most: number, matches: RegExp): Expected => ({
  holds: ({ answer }) => {
    const list = ((answer.body['content_analysis'] as Record<string, unknown>)[field] ?? []) as string[]
    assert.ok(list.length <= most, `${list.length} of ${field}`)
    for (const one of list) assert.match(one, matches)
  },
})

const tags: readonly (readonly [tag: string, count: number])[] = [
  ['<b>', 50_000],
  ['<a>', 50_000],
  ['<table><a>', 20_000],
  ['<select>', 50_000],
  ['<svg><desc>', 30_000],
  ['<p>', 500_000],
  ['<div><span>', 40_000],
  ['</p>', 200_000],
  ['<form>', 60_000],
  ['<template>', 40_000],
  ['<!--', 100_000],
  ['<![CDATA[', 50_000],
  ['<', 500_000],
  ['<a href="', 100_000],
  ["<a b='", 100_000],
  ['&', 500_000],
  ['<script>', 50_000],
  ['<title>', 100_000],
  ['<math><mi>', 30_000],
  ['<style></', 80_000],
]

/** These hide all that follows them. */
const endless = /^<(?:!|a |script|title|style|select|template)/

/** As much of a page as is read, in equal parts, so that each of them is read as what it is. */
function allAtOnce(): string {
  const order = [...tags].sort(([one], [other]) => Number(endless.test(one)) - Number(endless.test(other)))
  const share = (2 * 1024 * 1024) / order.length
  return order.map(([tag]) => tag.repeat(Math.floor(share / tag.length))).join('')
}

/** Sections about what the page holds, of a page longer than is read. */
const cutOff = { content_analysis: 'completed page_too_large', tech_stack: 'completed page_too_large' }

const markup: readonly FaultCase[] = [
  ...tags.map(([tag, count]) => html(118, `${count} of ${tag}`, () => tag.repeat(count))),
  html(131, 'two mebibytes of all the markup there is to fear', allAtOnce),
  html(
    131,
    'two mebibytes of it in scripts',
    () => `${title('x')}${`<script>${tags.map(([tag]) => tag).join('eval(')}</script>`.repeat(9_000)}`,
    { sections: { ...cutOff, security_headers: 'completed page_too_large', cookies: 'completed' } },
  ),
  html(
    119,
    'one tag with a hundred thousand attributes',
    () => `<a ${Array.from({ length: 100_000 }, (_, at) => `a${at}=1`).join(' ')}>`,
  ),
  html(119, 'an attribute of 2 MiB', () => `<a href="${'x'.repeat(2_000_000)}">`),
  ...[
    '"',
    "'",
    '<!--',
    '<![CDATA[',
    '<script>',
    '<style>',
    '<title>',
    '<textarea>',
    '<a href="x',
    '<!DOCTYPE',
    '<?php',
    '</',
  ].map(start => html(119, `${start} that is never ended`, () => `${title('x')}${start}${'y '.repeat(100_000)}`)),
  html(
    121,
    'a hundred thousand e-mail addresses',
    () => Array.from({ length: 100_000 }, (_, at) => `a${at}@b${at}.lab `).join(''),
    listed('emails', 50, /^.{3,254}$/),
  ),
  html(
    121,
    'a mailto of 1 MB',
    () => `<a href="mailto:${'a'.repeat(1_000_000)}@b.lab">x</a>`,
    listed('emails', 50, /^.{3,254}$/),
  ),
  html(121, 'addresses that run into one another', () => 'a@'.repeat(500_000), listed('emails', 50, /^.{3,254}$/)),
  html(
    121,
    'nearly an address',
    () => `${'a.'.repeat(400_000)}@${'b.'.repeat(400_000)}`,
    listed('emails', 50, /^.{3,254}$/),
  ),
  html(122, 'a title of 2 MB', () => title('x'.repeat(2_000_000)), wellFormed('title', 512)),

  html(124, '&amp; half a million times', () => '&amp;'.repeat(400_000)),
  html(124, 'entities that nobody knows', () => '&nosuchentity;&#x110000;&#99999999999;'.repeat(40_000)),
  html(
    125,
    'an entity bomb in XHTML',
    () =>
      `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 20 }, (_, at) => `<!ENTITY b${at} "${`&b${at - 1};`.repeat(10)}">`).join('')}<!ENTITY f SYSTEM "file:///etc/passwd"><!ENTITY g SYSTEM "http://127.0.0.1/">]><html xmlns="http://www.w3.org/1999/xhtml"><head><title>&b19;&f;&g;</title></head></html>`,
    {
      holds: ({ answer }) =>
        assert.ok(!answer.text.includes('root:') && answer.text.length < 65_536, answer.text.slice(0, 200)),
    },
    'application/xhtml+xml',
  ),
  html(
    127,
    'ten thousand social links',
    () => Array.from({ length: 10_000 }, (_, at) => `<a href="https://facebook.com/p${at}">f</a>`).join(''),
    listed('social_links', 50, /^https?:\/\/(?:www\.)?facebook\.com\//),
  ),

  html(
    127,
    'a link of 64 KB',
    () => `<a href="https://facebook.com/${'x'.repeat(65_536)}">`,
    listed('social_links', 50, /^.{1,2048}$/),
  ),
  ...[
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a logger's, not ours
    '${jndi:ldap://127.0.0.1/x}',
    '{{7*7}}',
    '%s%n%x%d',
    "'; DROP TABLE keys;--",
    '=cmd|calc',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    '../../etc/passwd',
  ].map(text =>
    html(128, `the title ${text.slice(0, 24)}`, () => title(text), {
      fields: { 'content_analysis.title': text.replaceAll('&lt;', '<').replaceAll('&gt;', '>') },
    }),
  ),
  html(130, 'a page of nothing', () => '', { fields: { 'content_analysis.title': null } }),
  html(130, 'a byte order pattern alone', () => '\ufeff', { fields: { 'content_analysis.title': null } }),

  html(130, 'a program that is called HTML', () =>
    Buffer.concat([Buffer.from('7f454c46', 'hex'), Buffer.alloc(100_000, 0x90)]),
  ),
]

/** Made when it is first asked for: it takes a quarter of a second. */
let sitemapBomb: Buffer | undefined

/** A healthy page whose robots.txt and sitemap are these. */
const crawled = (
  row: number,
  of: string,
  files: { robots?: LabResponse; sitemap?: LabResponse; delay_ms?: number },
  expect: Expected = {},
): FaultCase => ({
  row,
  of,
  world: ({ name, address, issue }) => ({
    sites: [
      {
        host: name,
        addresses: [address],
        credentials: issue(),
        https: async request => {
          if (request.url === '/robots.txt' && files.robots) return files.robots
          if (request.url !== '/' && request.url !== '/robots.txt' && files.sitemap) return files.sitemap
          return healthyPage(request)
        },
      },
    ],
  }),
  expect: { sections: { web: 'completed', seo_health: 'completed' }, ...expect },
})

const fewRequests: Expected = {
  sections: { web: 'completed' },
  holds: ({ web }) => assert.ok(web.requests.length <= 10, `${web.requests.length} requests`),
}
const text = (body: string | Buffer): LabResponse => ({ body, headers: [['Content-Type', 'text/plain']] })
const xml = (body: string | Buffer): LabResponse => ({ body, headers: [['Content-Type', 'application/xml']] })

const files: readonly FaultCase[] = [
  crawled(134, 'a robots.txt of 600 KB', { robots: text('User-agent: *\nDisallow: /x\n'.repeat(24_000)) }),
  crawled(134, 'a robots.txt of one line of 1 MB', { robots: text(`Disallow: /${'x'.repeat(1_000_000)}`) }),
  ...(
    [
      ['NUL', '\u0000User-agent\u0000: *\u0000'],
      ['line ends that are CR alone', 'User-agent: *\rDisallow: /\r'],
      ['UTF-16', Buffer.from('\ufeffUser-agent: *\nDisallow: /', 'utf16le')],
      ['a byte order pattern', '\ufeffUser-agent: *\nDisallow: /x'],
      ['Latin-1', Buffer.from('User-agent: \u00e9\nDisallow: /\u00ff', 'latin1')],
      ['markup', PAGE],
      ['noise', Buffer.alloc(50_000, 0xfe)],
    ] as const
  ).map(([of, body]) => crawled(136, `a robots.txt of ${of}`, { robots: text(body as string) })),
  crawled(
    137,
    'ten thousand sitemaps',
    {
      robots: text(
        Array.from(
          { length: 10_000 },
          (_, at) => `Sitemap: /s${at}.xml\nSitemap: https://elsewhere.lab/s${at}.xml`,
        ).join('\n'),
      ),
    },
    fewRequests,
  ),
  crawled(139, 'a sitemap of 5 MB', {
    sitemap: xml(`<urlset>${'<url><loc>https://x.lab/</loc></url>'.repeat(140_000)}</urlset>`),
  }),
  crawled(
    139,
    'a sitemap that bombs',
    {
      get sitemap() {
        sitemapBomb ??= gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '))
        return { body: sitemapBomb, headers: [['Content-Type', 'application/gzip']] as const }
      },
    },
    {
      sections: { web: 'completed' },
      // On a busy machine it is read for longer than files are waited for.
      holds: ({ answer: { body } }) => assert.match(statusOf(body, 'seo_health'), /^completed(?: sitemap_timeout)?$/),
    },
  ),

  ...[
    '/robots.txt',
    '/other',
    'http://127.0.0.1/',
    'https://elsewhere.lab/robots.txt',
    'http://169.254.169.254/',
    'ftp://x/',
  ].map(to =>
    crawled(
      140,
      `a robots.txt that leads to ${to}`,
      { robots: { status: 302, headers: [['Location', to]] } },
      fewRequests,
    ),
  ),
  ...['/sitemap.xml', 'http://[::1]/', 'https://10.0.0.1/s.xml'].map(to =>
    crawled(
      140,
      `a sitemap that leads to ${to}`,
      { sitemap: { status: 301, headers: [['Location', to]] } },
      fewRequests,
    ),
  ),
]

export const htmlFaults: readonly FaultCase[] = [...markup, ...files]

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { evasions } from '../../../lab/evaluation/evasions.ts'

const page = { url: 'https://kit.example/a/', brand: 'PayPal' }

const cases = [
  {
    title: 'writes relative paths as URLs of the page’s site',
    evasion: 'absolute_paths',
    html: '<a href="x.css"><form action=post.php><a href="#"><a href="https://other.example/">',
    has: [
      'href="https://kit.example/a/x.css"',
      'action="https://kit.example/a/post.php"',
      'href="#"',
      'https://other.example/',
    ],
    lacks: ['action=post.php'],
  },
  {
    title: 'replaces the title and adds feed, statistics and canonical link',
    evasion: 'borrowed_head',
    html: '<html><head><title>PayPal</title></head><body>',
    has: ['Welcome to kit.example', 'application/rss+xml', 'rel="canonical"', 'googletagmanager'],
    lacks: ['PayPal'],
  },
  {
    title: 'adds words and links that nobody sees before the end of the body',
    evasion: 'hidden_filler',
    html: '<body><p>Log in</p></body>',
    has: ['display:none', 'left:-9999px', '<p>Log in</p>', '</body>'],
    lacks: [],
  },
  {
    title: 'takes the brand’s name out of text and alternatives, and leaves scripts and addresses',
    evasion: 'drawn_brand',
    html: '<title>PayPal</title><p>Your PayPal account</p><img alt="PayPal" src="paypal.png"><script>var paypal</script>',
    has: ['<img src="l.png">', 'src="paypal.png"', 'var paypal'],
    lacks: ['Your PayPal', 'alt="PayPal"', '<title>PayPal'],
  },
] as const

describe('evasions', () => {
  for (const { title, evasion, html, has, lacks } of cases) {
    it(title, () => {
      const evaded = evasions[evasion]?.(html, page) ?? ''
      for (const part of has) assert.ok(evaded.includes(part), `${part} in ${evaded}`)
      for (const part of lacks) assert.ok(!evaded.includes(part), `${part} not in ${evaded}`)
    })
  }
})

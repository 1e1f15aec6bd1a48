import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { charsetIn } from '../../src/evidence/document/charset.ts'
import type { Document } from '../../src/evidence/document/facts.ts'
import createDocumentGatherer from '../../src/evidence/document/gather.ts'
import { createPageParser } from '../../src/evidence/document/page_parser.ts'
import type { GatherContext } from '../../src/evidence/evidence.ts'
import { servedFields } from '../../src/evidence/served/facts.ts'
import { describeServed } from '../../src/evidence/served/gather.ts'
import type { SiteSession, SiteSessions } from '../../src/evidence/site_session/session.ts'
import { isDownload, isMarkup, mediaType } from '../../src/network/media_type.ts'
import { parts } from '../any_text.ts'
import { assertCheap } from '../cpu.ts'

const url = 'https://a.example/dir/page'

function parse(
  markup: string | Buffer,
  contentType: string | null = 'text/html; charset=utf-8',
  slice = 65_536,
): Document {
  const octets = typeof markup === 'string' ? Buffer.from(markup) : markup
  const parser = createPageParser(url, contentType)
  for (let at = 0; at < octets.length; at += slice) parser.write(octets.subarray(at, at + slice))
  return parser.end(false)
}

const whole = `<!DOCTYPE html><html lang="de"><head><base href="/base/"><title> Gr\u00fc\u00dfe &amp;\n mehr </title>
<meta charset=utf-8><meta name="Description" content="Was wir tun"><meta property="og:title" content="OG">
<meta http-equiv="Refresh" content="5"><link rel="Stylesheet Preload" href="s.css" type="text/css">
<link rel=alternate hreflang=fr href="//fr.a.example/">
<script src=app.js integrity=x></script><script>var a = "<b>" </script>
<script type="application/ld+json">{"@type": "Shop"}</script></head>
<body><!-- built by X --><h1>Hallo <b>Welt</b></h1><p>eins<p>zwei<br>drei <a href="mailto:a@b.example">schreib</a>
<a href="x?y#z" rel="nofollow me">Link <img src=i.png></a><a name=anchor>kein Link</a>
<form action="//evil.example/x" method=POST><input type=Password><input></form><input type=email>
<iframe src="https://f.example/">not shown</iframe><template><p>inert<a href=t></p></template><svg><title>kein Titel</title></svg>
<span data-cfemail="42232c26"></span><div id=app class="a b" data-v-app ng-version=1></div><my-tag></my-tag>
<style>p {}</style><textarea>getippt</textarea><img alt=""></body></html>`

const expected: Document = {
  is_html: true,
  url,
  charset: 'utf-8',
  title: 'Gr\u00fc\u00dfe & mehr',
  titles: 1,
  lang: 'de',
  base: 'https://a.example/base/',
  doctype: 'DOCTYPE html',
  metas: [
    { name: 'description', content: 'Was wir tun' },
    { name: 'og:title', content: 'OG' },
    { name: 'refresh', content: '5' },
  ],
  links: [
    { rel: ['stylesheet', 'preload'], href: 'https://a.example/base/s.css', hreflang: null, type: 'text/css' },
    { rel: ['alternate'], href: 'https://fr.a.example/', hreflang: 'fr', type: null },
  ],
  anchors: [
    { href: 'mailto:a@b.example', rel: [], text: 'schreib' },
    { href: 'https://a.example/base/x?y#z', rel: ['nofollow', 'me'], text: 'Link' },
  ],
  scripts: [
    { src: 'https://a.example/base/app.js', type: null, integrity: true },
    { src: null, type: null, integrity: false },
    { src: null, type: 'application/ld+json', integrity: false },
  ],
  iframes: ['https://f.example/'],
  images: { total: 2, without_alt: 1 },
  forms: [{ action: '//evil.example/x', formactions: [], method: 'post', inputs: ['password', 'text'] }],
  formless_inputs: ['email'],
  headings: [{ level: 1, text: 'Hallo Welt' }],
  text: 'Hallo Welt eins zwei drei schreib Link kein Link',
  word_count: 9,
  written: { read: [], unread: [], destinations: [], leaves: [] },
  inline_scripts: ['var a = "<b>" '],
  json_ld: ['{"@type": "Shop"}'],
  comments: ['built by X'],
  cloaked_emails: ['42232c26'],
  ids: ['app'],
  classes: ['a', 'b'],
  attribute_names: ['http-equiv', 'data-v-app', 'ng-version'],
  custom_elements: ['my-tag'],
  structure: 'af7fd95855457db075fc9bee24cd52cd892eb8c59661073f2f043778b8c9d934',
  truncated: false,
}

/** What a visitor sees is told by look.test.ts and drawn.test.ts. */
const withoutLook = ({ look: _, drawn: __, ...document }: Document): Document => document

describe('the document of a page that did not come', () => {
  const table = {
    Unavailable: [
      'cancelled',
      'timeout',
      'unreachable',
      'too_many_requests',
      'dns_malformed',
      'dns_refused',
      'dns_timeout',
    ],
    NotApplicable: ['refused', 'reset', 'protocol_error', 'not_found', 'dns_servfail', 'dns_cname_loop'],
  }
  for (const [declines, failures] of Object.entries(table))
    for (const failure of failures)
      it(`is ${declines} after ${failure}, as are the sections`, async () => {
        const navigation = { exchanges: [], failure, stopped: null, stopped_at: null }
        const site = { page: async () => ({ navigation, document: null }) } as unknown as SiteSession
        const sites = { use: (_context, use) => use(site) } as SiteSessions
        await assert.rejects(createDocumentGatherer({ sites, rendering: null })({} as GatherContext), {
          name: declines,
        })
        const outcome = servedFields(describeServed(navigation, null))
        const finding = declines === 'Unavailable' ? { unavailable: failure } : { notApplicable: failure }
        assert.deepEqual(outcome, { ok: false, finding })
      })
})

describe('the document of a page', () => {
  it('says what the page says', () => assert.deepEqual(withoutLook(parse(whole)), expected))

  it('is the same however the octets are sliced', () => {
    for (const slice of [1, 7, 100]) assert.deepEqual(withoutLook(parse(whole, undefined, slice)), expected)
  })

  it('is empty for an empty page, and no HTML', () => {
    const { is_html, title, text, charset } = parse('')
    assert.deepEqual({ is_html, title, text, charset }, { is_html: false, title: null, text: '', charset: 'utf-8' })
  })

  it('counts the titles of the page', () => {
    const markup = [
      ['<title>a</title><svg><title>b</title></svg><template><title>c</title></template>', 1],
      ['<title>a</title><noscript><title>b</title></noscript><p><title>c</title>', 2],
      ['<p>', 0],
    ] as const
    assert.deepEqual(
      markup.map(([text]) => parse(text).titles),
      markup.map(([, count]) => count),
    )
  })

  const titles: [markup: string, title: string | null][] = [
    ['<title></title>', null],
    ['<title>one</title><title>two</title>', 'one'],
    ['<title>a</ti>b</title>', 'a</ti>b'],
    ['<title>&#0;&#xD800;&#x110000;x', '\ufffd\ufffd\ufffdx'],
    ['<title>a\u202eb\u0007c</title>', 'abc'],
    ['<title>\u0024{jndi:ldap://x}{{7*7}}%s=cmd</title>', '\u0024{jndi:ldap://x}{{7*7}}%s=cmd'],
    ['<svg><title>no</title></svg><title>yes</title>', 'yes'],
    ['<template><title>no</title></template><TITLE>yes</TITLE>', 'yes'],
    ['<svg/><title>yes</title>', 'yes'],
    ['<svg><title/></svg><title>yes</title>', 'yes'],
    ['<svg><title>no</svg><title>yes</title>', 'yes'],
    ['<svg><g><title>no</title><p><title>yes</title>', 'yes'],
    [`<title>${'x'.repeat(9_999)}`, 'x'.repeat(512)],
    [`<title>${'x'.repeat(511)}\u{1f600}`, 'x'.repeat(511)],
    [`<title>${' '.repeat(9_999)}late</title>`, 'late'],
  ]
  for (const [markup, title] of titles) {
    it(`has the title ${JSON.stringify(title)?.slice(0, 30)} in ${JSON.stringify(markup).slice(0, 50)}`, () => {
      assert.equal(parse(markup).title, title)
    })
  }

  it('keeps mail and telephone links however many others there are', () => {
    const { anchors } = parse(
      `${'<a href=/x>x</a>'.repeat(5_000)}<a href="mailto:a@b.example">m</a><a href=" TEL:1">t</a>`,
    )
    assert.equal(anchors.length, 1_002)
    assert.deepEqual(
      anchors.slice(-2).map(({ href }) => href),
      ['mailto:a@b.example', 'TEL:1'],
    )
  })

  const metas: [markup: string, names: string[]][] = [
    ['<meta name=x http-equiv=Refresh content="0;url=/y">', ['refresh', 'x']],
    ['<meta property=og:title name=description content=x>', ['description']],
    ['<meta http-equiv="" name="" itemprop=image content=x>', ['image']],
    ['<meta http-equiv=refresh>', []],
    ['<meta content=x>', []],
    ['<meta name=Content-Security-Policy content=x><meta name=refresh content=0><meta name=a content=b>', ['a']],
    ['<title>a</title><meta http-equiv=content-security-policy content=x>', ['content-security-policy']],
    ['<p><meta http-equiv=content-security-policy content=x><meta name=a content=b>', ['a']],
    ['<noscript><meta http-equiv=refresh content="0;url=/y"></noscript><meta name=a content=b>', ['a']],
  ]
  for (const [markup, names] of metas) {
    it(`has the metas ${names.join(' and ') || 'of nothing'} in ${markup}`, () => {
      assert.deepEqual(
        parse(markup).metas.map(({ name }) => name),
        names,
      )
    })
  }

  const owners: [title: string, markup: string, actions: (string | null)[], inputs: string[][]][] = [
    ['a form within a form is none', '<form action=/a><form action=/b><input>', ['/a'], [['text']]],
    [
      'a form ends at the first end tag',
      '<form action=/a><form></form><form action=/c><input>',
      ['/a', '/c'],
      [[], ['text']],
    ],
    [
      'an end tag in a template ends no form',
      '<form action=/a><template></form></template><input>',
      ['/a'],
      [['text']],
    ],
  ]
  const named: [title: string, markup: string, inputs: string[], formactions: string[], formless: string[]][] = [
    ['before the form', '<input form=f><form id=f>', ['text'], [], []],
    ['behind the form', '<form id=f></form><input type=password form=f>', ['password'], [], []],
    [
      'within another',
      '<form id=f></form><form><input form=f><button form=f formaction=/x></form>',
      ['text'],
      ['/x'],
      [],
    ],
    ['which is no form', '<form id=e><p id=f></p><input form=f></form>', [], [], ['text']],
    ['which is the first of its name', '<form id=f></form><form id=f><input form=f>', ['text'], [], []],
    ['which is nowhere', '<form><input form=f>', [], [], ['text']],
  ]
  for (const [title, markup, inputs, formactions, formless] of named) {
    it(`knows whose a field is that names its form, ${title}`, () => {
      const { forms, formless_inputs } = parse(markup)
      assert.deepEqual([forms[0]?.inputs, forms[0]?.formactions, formless_inputs], [inputs, formactions, formless])
    })
  }

  it('reports a password form after any number of others', () => {
    const others = '<form><input></form>'.repeat(99)
    const { forms, formless_inputs } = parse(`${others}<form action=//evil.example/><input type=password></form>`)
    assert.deepEqual([forms.length, forms.at(-1)?.action, formless_inputs], [51, '//evil.example/', []])
    assert.equal(parse('<form><input type=password></form>'.repeat(99)).forms.length, 60)
  })

  it('reads the alternative text of an image in a heading', () => {
    const { headings } = parse('<h1><img alt="Acme"></h1><h2>By<img alt=us>all<img></h2><img alt=x>')
    assert.deepEqual(headings, [
      { level: 1, text: 'Acme' },
      { level: 2, text: 'By us all' },
    ])
  })

  it('has the images that are shown, not those for browsers without scripts', () => {
    const { images } = parse('<noscript><img src=//tracker.example/?id=1></noscript><img src=/a alt=A><img src=/b>')
    assert.deepEqual(images, { total: 2, without_alt: 1 })
  })

  it('reports a password field after any number of others', () => {
    const fields = `${'<input type=hidden>'.repeat(99)}${'<input type=password>'.repeat(9)}`
    const { forms, formless_inputs } = parse(`<form>${fields}</form>${fields}`)
    for (const inputs of [forms[0]?.inputs, formless_inputs])
      assert.deepEqual([inputs?.length, inputs?.filter(type => type === 'password').length], [65, 1])
  })

  for (const [title, markup, actions, inputs] of owners) {
    it(`knows that ${title}`, () => {
      const { forms } = parse(markup)
      assert.deepEqual([forms.map(({ action }) => action), forms.map(form => form.inputs)], [actions, inputs])
    })
  }

  const buttons: [markup: string, formactions: string[]][] = [
    ['<form action=/a><button formaction=//evil.example/>', ['//evil.example/']],
    ['<form><button type=submit formaction=/1></button><input type=Image formaction=/2>', ['/1', '/2']],
    ['<form><input type=submit formaction="">', ['']],
    ['<form><button type=button formaction=/1><button type=Reset formaction=/2><input formaction=/3>', []],
    ['<form></form><button formaction=/1>', []],
    [`<form>${'<button formaction=/1>'.repeat(99)}`, Array(16).fill('/1')],
  ]
  for (const [markup, formactions] of buttons) {
    it(`has buttons that send a form to ${formactions[0] ?? 'nowhere'} in ${markup.slice(0, 60)}`, () => {
      assert.deepEqual(parse(markup).forms[0]?.formactions, formactions)
    })
  }

  // What Chromium shows of each is `before after`, with the form.
  const drawings = [
    '<svg><template></svg>',
    '<svg><style></svg>',
    '<svg><style><b>',
    '<svg><script></svg>',
    '<svg><title></svg>',
    '<svg><title/><g/></svg>',
    '<svg><style/><desc><style>.a{}</style></desc></svg>',
    '<svg><style>.a>b{}</style></svg>',
    '<svg><svg><g></svg><template></svg>',
    '<svg><textarea></svg>',
    '<svg><form action=/no></svg>',
    '<svg><base href=//no.example></svg>',
    '<svg><style></p>',
    '<svg><style><font size=1>',
    '<math><style></math>',
    '<math><mi><style>.a{}</style></mi><template></math>',
    '<math><annotation-xml><style></math>',
    '<math><annotation-xml encoding=Text/HTML><style>.a{}</style></math>',
    '<SVG><TEMPLATE></SVG>',
  ]
  for (const drawing of drawings) {
    it(`continues after ${drawing}`, () => {
      const { text, forms, base } = parse(`before ${drawing} after<form action=/x><input type=password></form>`)
      const form = { action: '/x', formactions: [], method: 'get', inputs: ['password'] }
      assert.deepEqual([text, forms, base], ['before after', [form], null])
    })
  }

  const sections: [markup: string, text: string][] = [
    ['<![CDATA[>shown', 'shown'],
    ['<![CDATA[ <b>shown ]]> too', 'shown ]]> too'],
    ['<p>one<![CDATA[ > two <![CDATA[>]]> three', 'one two ]]> three'],
    ['<svg><![CDATA[ <p> > ]]></svg>shown', '<p> > shown'],
    ['<svg><style><![CDATA[ a > b {} ]]></style></svg>shown', 'shown'],
    ['<svg><desc><![CDATA[ <b>shown ]]></desc></svg> too', 'shown ]]> too'],
    ['<a title="<![CDATA[">shown</a>', 'shown'],
    ['<![CDATA <b>shown', 'shown'],
    ['<![CDATA', ''],
  ]
  for (const [markup, text] of sections) {
    it(`shows ${JSON.stringify(text)} of ${markup}, however it is sliced`, () => {
      for (const slice of [1, 5, 1_000]) assert.equal(parse(markup, undefined, slice).text, text)
    })
  }

  const empties: [markup: string, text: string][] = [
    ['<script src="a.js" />shown', 'shown'],
    ['<title/>shown', 'shown'],
    ['<style/><textarea/><iframe src="/"/>shown', 'shown'],
    ['<template/>shown', 'shown'],
    ['<noscript/>shown<style></style>', 'shown'],
    ['<p><![CDATA[<b> & more]]></p>', '<b> & more'],
    ['<script>//<![CDATA[\nx\n//]]></script>shown', 'shown'],
    ['<textarea>a &lt; b</textarea>shown', 'shown'],
    ['<title>a</title><script>if (a &lt; b) c()</script>shown', 'shown'],
  ]
  for (const [markup, text] of empties) {
    it(`shows ${JSON.stringify(text)} of ${markup} in XHTML`, () => {
      assert.equal(parse(markup, 'application/xhtml+xml').text, text)
    })
  }

  it('reads character references in scripts and styles of XHTML and of SVG, as they have no raw text', () => {
    const inside = '<script>f.type = &quot;password&quot;</script><style>.a &gt; b {}</style><title>A &amp; B</title>'
    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><foreignObject><body xmlns="http://www.w3.org/1999/xhtml">${inside}</body></foreignObject></svg>`
    const types = { 'text/html': inside, 'application/xhtml+xml': inside, 'image/svg+xml': svg }
    const read = Object.entries(types).map(([type, markup]) => parse(markup, type).inline_scripts)
    assert.deepEqual(read, [['f.type = &quot;password&quot;'], ['f.type = "password"'], ['f.type = "password"']])
  })

  it('keeps what scripts write for CDATA as it is', () => {
    const { inline_scripts, text } = parse('<script>//<![CDATA[\na > b\n//]]></script>c')
    assert.deepEqual([inline_scripts, text], [['//<![CDATA[ a > b //]]>'], 'c'])
  })

  // What Chromium shows of each is `before after`, with the form; it runs scripts.
  const noscripts = [
    '<noscript><style></noscript>',
    '<noscript><!--</noscript>',
    '<noscript><template></noscript>',
    '<noscript><a href="</noscript>',
    '<noscript><title></noscript>',
    '<noscript><svg></noscript>',
    '<NOSCRIPT><TEXTAREA></NoScript >',
    '<noscript><base href=//no.example></noscript>',
    '<noscript></noscripts><style></noscript>',
    '<noscript><noscript><script></noscript>',
    '<noscript></noscript><style></noscript></style>',
    '<p></noscript>',
  ]
  for (const noscript of noscripts) {
    it(`continues after ${noscript}, in any chunks`, () => {
      const markup = `before ${noscript} after<form action=/x><input type=password></form>`
      const form = { action: '/x', formactions: [], method: 'get', inputs: ['password'] }
      for (const slice of [1, 3, 1_000]) {
        const { text, forms, base } = parse(markup, undefined, slice)
        assert.deepEqual([text, forms, base], ['before after', [form], null])
      }
    })
  }

  it('reports what is shown without scripts, except for a title, a base and header substitutes', () => {
    const { text, title, metas } = parse(
      '<noscript><title>no</title><meta name=a content=b>Switch <b>on</b></noscript><title>yes</title>',
    )
    assert.deepEqual([text, title, metas.length], ['Switch on', 'yes', 1])
  })

  it('ends a form of a noscript with it', () => {
    const { forms } = parse('<noscript><form action=/no></noscript><form action=/x><input type=password>')
    assert.deepEqual(
      forms.map(({ action, inputs }) => [action, inputs]),
      [
        ['/no', []],
        ['/x', ['password']],
      ],
    )
  })

  const broken: [written: string, url: string][] = [
    ['https:\n//evil.example/', 'https://evil.example/'],
    ['ht\r\ntps:/\t/evil.example/', 'https://evil.example/'],
    [' \n//evil.example/\t', 'https://evil.example/'],
    ['java\nscript:x', 'javascript:x'],
    ['mailto:a\n@b.example', 'mailto:a@b.example'],
  ]
  for (const [written, url_] of broken) {
    it(`reads ${JSON.stringify(written)} as browsers do, in links, forms and refreshes`, () => {
      const { anchors, forms, metas } = parse(
        `<a href="${written}"></a><form action="${written}"><button formaction="${written}"></form>
        <meta http-equiv=refresh content="0;url=${written}">`,
      )
      const form = forms[0]
      const urls = [form?.action, form?.formactions[0], metas[0]?.content.replace('0;url=', '')]
      assert.deepEqual([anchors[0]?.href, ...urls.map(one => new URL(one ?? '', url).href)], Array(4).fill(url_))
    })
  }

  const bases: [markup: string, href: string][] = [
    ['<base href="//b.example/y/"><base href="//c.example">', 'https://b.example/y/x'],
    ['<base target=_top><base href="/y/">', 'https://a.example/y/x'],
    ['<base href="javascript:x"><base href="//b.example">', 'https://a.example/dir/x'],
    ['<base href="DATA:,x">', 'https://a.example/dir/x'],
    ['<base href=" java\nscript:x">', 'https://a.example/dir/x'],
    // Browsers take the first one of the document, wherever it stands (HTML section 4.2.3).
    ['<p>a<base href="/y/">', 'https://a.example/y/x'],
    ['<template><base href="/y/"></template>', 'https://a.example/dir/x'],
    ['<base href="http://[">', 'x'],
    ['<base href="mailto:x">', 'x'],
  ]
  for (const [markup, href] of bases) {
    it(`has the link ${href} behind ${JSON.stringify(markup)}`, () => {
      assert.equal(parse(`${markup}<a href=x>`).anchors[0]?.href, href)
    })
  }

  it('takes names of properties for names', () => {
    const { attribute_names, custom_elements } = parse('<constructor-x __proto__=1 to-string=2><constructor><toString>')
    assert.deepEqual([attribute_names, custom_elements], [['__proto__', 'to-string'], ['constructor-x']])
  })
})

describe('the marks of a page', () => {
  const many = (unit: (n: number) => string) => Array.from({ length: 2_000 }, (_, n) => unit(n)).join('')

  it('are kept wherever they stand', () => {
    const before = many(n => `<i id="i${n}" class="c${n}"><!-- comment ${n} --></i>`)
    const { ids, classes, comments } = parse(`${before}<b id=last class="${'x '.repeat(40)}end"><!-- the end -->`)
    assert.deepEqual([ids.at(-1), classes.at(-1), comments.at(-1)], ['last', 'end', 'the end'])
  })
})

describe('a named character reference', () => {
  /** Those of one code unit, of a code point beyond U+FFFF, and of two code points. */
  const references: readonly [name: string, text: string][] = [
    ['eacute', '\u00e9'],
    ['Afr', '\u{1d504}'],
    ['zscr', '\u{1d4cf}'],
    ['NotEqualTilde', '\u2242\u0338'],
    ['fjlig', 'fj'],
  ]
  for (const [name, told] of references) {
    it(`&${name}; is ${told} in text and in attributes`, () => {
      const { title, metas } = parse(`<title>&${name};</title><meta name=a content="&${name};">`)
      assert.deepEqual([title, metas[0]?.content], [told, told])
    })
  }

  it('of a surrogate names no character', () => {
    assert.equal(parse('<title>&#xd835;&#xdd04;</title>').title, '\ufffd\ufffd')
  })
})

describe('the encoding of a page', () => {
  const latin = Buffer.from('<title>gr\u00fc\u00df</title>', 'latin1')
  const meta = (declaration: string) => Buffer.concat([Buffer.from(declaration), latin])
  /** As browsers: the octets before the prescan ends decide first, then the first meta element of the page. */
  const lateMetas: [what: string, octets: Buffer, charset: string, title: string][] = [
    [
      'a meta beyond 1,024 octets',
      Buffer.concat([Buffer.from(' '.repeat(1_100)), meta('<meta charset=koi8-r>')]),
      'koi8-r',
      new TextDecoder('koi8-r').decode(Buffer.from('gr\u00fc\u00df', 'latin1')),
    ],
    [
      'a meta beyond 1,024 octets and behind what it is about',
      Buffer.concat([latin, Buffer.from(`<body>${'x '.repeat(5_000)}<meta charset=iso-8859-2>`)]),
      'iso-8859-2',
      'gr\u00fc\u00df',
    ],
    [
      'a meta in a script of the first 1,024 octets',
      meta("<script>document.write('<meta charset=koi8-r>')</script>"),
      'koi8-r',
      new TextDecoder('koi8-r').decode(Buffer.from('gr\u00fc\u00df', 'latin1')),
    ],
    [
      'no meta in a script beyond',
      Buffer.concat([Buffer.from(' '.repeat(1_100)), meta("<script>'<meta charset=koi8-r>'</script>")]),
      'windows-1252',
      'gr\u00fc\u00df',
    ],
    ['no meta in an attribute', meta('<p title="<meta charset=koi8-r>">'), 'windows-1252', 'gr\u00fc\u00df'],
  ]
  const table: [title: string, octets: Buffer, contentType: string | null, charset: string, title_: string][] = [
    ['the media type', latin, 'text/html; charset="ISO-8859-1"', 'windows-1252', 'gr\u00fc\u00df'],
    ['a meta charset', meta('<meta charset=latin1>'), 'text/html', 'windows-1252', 'gr\u00fc\u00df'],
    [
      'a meta http-equiv',
      meta('<meta http-equiv=Content-Type content="text/html; charset=iso-8859-2">'),
      null,
      'iso-8859-2',
      'gr\u00fc\u00df',
    ],
    [
      'the media type over a meta',
      Buffer.from('<meta charset=latin1><title>\u00fc</title>'),
      'text/html;charset=UTF-8',
      'utf-8',
      '\u00fc',
    ],
    [
      'a byte order mark over all',
      Buffer.from('\ufeff<meta charset=latin1><title>\u00fc</title>'),
      'text/html; charset=latin1',
      'utf-8',
      '\u00fc',
    ],
    ['UTF-16 by its mark', Buffer.from('\ufeff<title>\u00fc</title>', 'utf16le'), 'text/html', 'utf-16le', '\u00fc'],
    ['UTF-8 where nothing is declared', Buffer.from('<title>\u00fc</title>'), 'text/html', 'utf-8', '\u00fc'],
    [
      'windows-1252 where that fails',
      Buffer.concat([latin, Buffer.from([0x80])]),
      'text/html',
      'windows-1252',
      'gr\u00fc\u00df',
    ],
    ['no meta in a comment', meta('<!-- <meta charset=koi8-r> -->'), 'text/html', 'windows-1252', 'gr\u00fc\u00df'],
    ...lateMetas.map(
      ([what, octets, charset, seen]) => [what, octets, null, charset, seen] as [string, Buffer, null, string, string],
    ),
    [
      'no encoding that is none',
      meta('<meta charset=constructor>'),
      'text/html; charset=nonsense',
      'windows-1252',
      'gr\u00fc\u00df',
    ],
    [
      'Shift_JIS',
      Buffer.concat([Buffer.from('<title>'), Buffer.from([0x93, 0xfa, 0x96, 0x7b]), Buffer.from('</title>')]),
      'text/html; charset=shift_jis',
      'shift_jis',
      '\u65e5\u672c',
    ],
  ]
  for (const [title, octets, contentType, charset, told] of table) {
    it(`is determined by ${title}`, () => {
      for (const slice of [1, 5, 2_000]) {
        const document = parse(octets, contentType, slice)
        assert.deepEqual([document.charset, document.title], [charset, told])
      }
    })
  }

  it('is UTF-8 where a truncated page ends within a character, and not where a whole one does', () => {
    const octets = Buffer.from(`<title>\u00fc</title>${'x'.repeat(2_000)}\u20ac`).subarray(0, -1)
    const charsets = [true, false].map(truncated => {
      const parser = createPageParser(url, 'text/html')
      parser.write(octets)
      return parser.end(truncated).charset
    })
    assert.deepEqual(charsets, ['utf-8', 'windows-1252'])
  })

  // As Chromium reads it: the encoding, or the one that a meta declares in its place.
  const parameters: [contentType: string, charset: string][] = [
    ['text/html; a=b; CharSet="KOI8-R"', 'koi8-r'],
    ['text/html;charset=koi8-r ', 'koi8-r'],
    ['text/html; charset=koi8-r; charset=utf-16', 'koi8-r'],
    ['text/html; xcharset=utf-16', 'windows-1251'],
    ['text/html; charset =utf-16', 'windows-1251'],
    ['text/html; charset= utf-16', 'windows-1251'],
    ["text/html; charset='utf-16'", 'windows-1251'],
    ['text/html; charset=', 'windows-1251'],
    [`text/html; charset${' '.repeat(9_999)}=utf-16`, 'windows-1251'],
  ]
  for (const [contentType, charset] of parameters) {
    it(`is ${charset} of ${contentType.slice(0, 60)}`, () => {
      const octets = Buffer.from('<meta charset=windows-1251><title>seen</title>')
      assert.deepEqual([parse(octets, contentType).charset, parse(octets, contentType).title], [charset, 'seen'])
    })
  }

  const contents: [content: string, charset: string | null][] = [
    ['text/html; charset=koi8-r', 'koi8-r'],
    ['charset = "KOI8-R" x', 'koi8-r'],
    ["charset='koi8-r'", 'koi8-r'],
    ["charset='koi8-r", null],
    ['charset="koi8-r', null],
    ['text/html', null],
    [`charset${' '.repeat(9_999)}=x`, null],
  ]
  for (const [content, charset] of contents) {
    it(`is ${charset} in a meta of ${content.slice(0, 60)}`, () => assert.equal(charsetIn(content), charset))
  }

  it('is what an XML declaration says, but for UTF-16', () => {
    const charsets = ['koi8-r', 'utf-16le', 'x'].map(
      name => parse(Buffer.from(`<?xml version='1.0' encoding='${name}'?>\xe9`, 'latin1'), null).charset,
    )
    assert.deepEqual(charsets, ['koi8-r', 'utf-8', 'windows-1252'])
  })
})

describe('a media type', () => {
  // As Chromium does it, where the standards leave no doubt.
  const table: [fields: string[], type: string | null, markup: boolean][] = [
    [[], null, true],
    [['text/html'], 'text/html', true],
    [['TEXT/HTML ; CharSet="UTF-8"'], 'text/html; charset=utf-8', true],
    [['application/xhtml+xml'], 'application/xhtml+xml', true],
    [['text/plain'], 'text/plain', false],
    [['application/json'], 'application/json', false],
    [['image/svg+xml'], 'image/svg+xml', true],
    [['text/xml'], 'text/xml', true],
    [['application/xml; charset=utf-8'], 'application/xml; charset=utf-8', true],
    [['application/rss+xml'], 'application/rss+xml', true],
    [['text/xml-external-parsed-entity'], 'text/xml-external-parsed-entity', false],
    [['image/png'], 'image/png', false],
    [['text/plain', 'text/html'], 'text/html', true],
    [['text/html', 'text/plain'], 'text/plain', false],
    [['application/octet-stream, text/html'], 'text/html', true],
    [['text/html; charset=shift_jis, text/html'], 'text/html; charset=shift_jis', true],
    [['text/plain; charset=shift_jis, text/html'], 'text/html', true],
    [['text/html', '', '*/*', 'html'], 'text/html', true],
    [['html'], null, true],
    [['text/html text/plain'], null, true],
    [['*/*'], null, true],
    [['unknown/unknown'], 'unknown/unknown', true],
    [['application/unknown'], 'application/unknown', true],
    [['text/plain,'.repeat(5_000), 'text/html'], 'text/html', true],
  ]
  for (const [fields, type, markup] of table)
    it(`${JSON.stringify(fields).slice(0, 60)} is ${type}, ${markup ? '' : 'not '}that of a page`, () => {
      assert.deepEqual([mediaType(fields), isMarkup(mediaType(fields))], [type, markup])
    })
})

describe('a body', () => {
  const table: [type: string, disposition: string | null, download: boolean][] = [
    ['text/html', null, false],
    ['text/html', 'attachment; filename=invoice.html', false],
    ['image/svg+xml', null, false],
    ['text/plain; charset=utf-8', null, false],
    ['image/png', 'inline', false],
    ['application/problem+json', null, false],
    ['html', null, false],
    ['application/octet-stream', null, true],
    ['application/x-msdownload', null, true],
    ['application/zip', null, true],
    ['application/pdf', null, true],
    ['text/calendar', null, true],
    ['multipart/x-mixed-replace; boundary=a', null, true],
    ['text/plain', 'Attachment; filename=invoice.exe', true],
  ]
  for (const [type, disposition, download] of table)
    it(`of ${type}, ${disposition ?? 'without a disposition'}, is ${download ? '' : 'not '}a download`, () => {
      const headers = [['Content-Type', type] as const]
      const disposed = disposition === null ? [] : [['content-disposition', disposition] as const]
      assert.equal(isDownload([...headers, ...disposed]), download)
    })
})

describe('a part of a page', () => {
  const form = `<p>Sign in</p><form action='/p' method=post><input type=password></form>`
  const escaped = form.replaceAll('<', '&lt;')
  const parts: [title: string, markup: string, text: string, forms: number][] = [
    ['in a srcdoc attribute', `<p>a</p><iframe srcdoc="${form}">none</iframe><p>b`, 'a Sign in b', 1],
    ['in an escaped srcdoc attribute', `<iframe srcdoc="${escaped}"></iframe>b`, 'Sign in b', 1],
    ['in a large srcdoc attribute', `<iframe srcdoc="<!--${'x'.repeat(99_999)}-->${form}"></iframe>`, 'Sign in', 1],
    [
      'in a frame of a frame',
      `<iframe srcdoc="<iframe srcdoc=&quot;${escaped}&quot;></iframe>"></iframe>`,
      'Sign in',
      1,
    ],
    ['after a frame with an open template', '<iframe srcdoc="<template><script>"></iframe>b', 'b', 0],
    ['in a form around a frame', `<form><iframe srcdoc="${form}"></iframe><input type=email></form>`, 'Sign in', 2],
    ['in a shadow root', `<div><template shadowrootmode=open>${form}</template></div>b`, 'Sign in b', 1],
    ['in a closed shadow root', `<div><template shadowrootmode=Closed>${form}</template></div>b`, 'Sign in b', 1],
    [
      'of a shadow root in a template',
      `<template><template shadowrootmode=open>${form}</template></template>b`,
      'b',
      0,
    ],
    ['of a template', `<template shadowrootmode=none>${form}</template>b`, 'b', 0],
    [
      'of a template in a shadow root',
      `<template shadowrootmode=open>a<template>${form}</template>b</template>`,
      'a b',
      0,
    ],
    ['of a frame for clients without scripts', `<noscript><iframe srcdoc="${form}"></iframe></noscript>b`, 'b', 0],
  ]
  for (const [title, markup, text, forms] of parts)
    it(`${title} is ${forms > 0 ? 'read' : 'not read'}`, () => {
      const read = parse(markup)
      assert.deepEqual([read.text, read.forms.length], [text, forms])
    })

  it('costs little, however often frames nest and repeat', () => {
    const inner = `<iframe srcdoc='<iframe srcdoc='x'>'></iframe>`
    const page = `<iframe srcdoc="${inner.repeat(20)}"></iframe>`.repeat(1_500)
    assertCheap(() => parse(page))
  })
})

describe('a page in XML', () => {
  const form = '<form action="https://evil.example/p" method="post"><input type="password"/></form>'
  const script = '<script>location="https://evil.example/"</script>'
  const pages: [type: string, markup: string][] = [
    ['image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg"><foreignObject>${form}</foreignObject>${script}</svg>`],
    ['application/xhtml+xml', `<html xmlns="http://www.w3.org/1999/xhtml"><body>${form}${script}</body></html>`],
    ['text/xml', `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">${form}${script}</html>`],
    [
      'application/xml',
      `<a xmlns:h="http://www.w3.org/1999/xhtml">${`${form}${script}`.replace(/<(\/?)/g, '<$1h:')}</a>`,
    ],
  ]
  for (const [type, markup] of pages)
    it(`of ${type} is read with its form and script`, () => {
      const { is_html, forms, inline_scripts } = parse(markup, type)
      assert.deepEqual(
        { is_html, forms, inline_scripts },
        {
          is_html: true,
          forms: [{ action: 'https://evil.example/p', formactions: [], method: 'post', inputs: ['password'] }],
          inline_scripts: ['location="https://evil.example/"'],
        },
      )
    })
})

describe('hostile markup', () => {
  const size = 1024 * 1024
  const fill = (unit: string) => unit.repeat(Math.ceil(size / unit.length)).slice(0, size)
  const numbered = (unit: (n: number) => string) => Array.from({ length: 45_000 }, (_, n) => unit(n)).join(' ')
  const table: Record<string, string> = {
    'open elements': fill('<b>'),
    'links in links': fill('<a href=x>'),
    'tables in links': fill('<table><a>'),
    'drawings in descriptions': fill('<svg><desc>'),
    'end tags of nothing': `${'<b>'.repeat(50_000)}${fill('</x>')}`,
    'one tag of attributes': `<a ${numbered(n => `a${n}=1`)}>`,
    'one attribute': `<a href="${fill('x')}`,
    'an attribute of references': `<a href="${fill('&amp;')}`,
    'an open comment': `<!--${fill('-x')}`,
    'CDATA sections': fill('<![CDATA['),
    'CDATA sections of a drawing': `<svg>${fill('<![CDATA[]]>')}`,
    'an open CDATA section': `<![CDATA[${fill(']]')}`,
    'an open script': `<script>${fill('</scrip')}`,
    'an open title': `<title>${fill('x ')}`,
    'less-than signs': fill('<'),
    references: fill('&amp;'),
    'references to nothing': fill('&#x110000;'),
    'references without end': fill('&a'),
    blanks: fill(' '),
    ids: numbered(n => `<i id=i${n} class="c${n} d${n}">`),
    classes: fill(`<i class="${'a b c d e f g '.repeat(9)}">`),
    headings: fill('<h1>x</h1>'),
    scripts: fill('<script>a</script>'),
    forms: fill('<form><input>'),
    metas: fill('<meta name=a content=b>'),
    'unresolvable links': fill('<a href="http://[">'),
    templates: fill('<template>'),
    'drawings in drawings': `${fill('<svg>').slice(0, size / 2)}${fill('</desc>').slice(0, size / 2)}`,
    'formulas without end': fill('<math><mi>'),
    noscripts: fill('<noscript><!--</noscript>'),
  }
  for (const [title, markup] of Object.entries(table)) {
    it(`of ${title} costs little and yields little`, () => {
      const octets = Buffer.from(markup).subarray(0, size)
      let document: unknown
      // A tree of a quarter of a million elements costs more than text.
      assertCheap(() => {
        document = parse(octets)
      }, 50)
      assert.ok(JSON.stringify(document).length < 512 * 1024)
    })
  }

  it('never throws, and its strings are printable and well-formed', () => {
    const piece = fc.constantFrom(
      ...parts(`< > </ <!-- --> " ' & ; &# x <title> <script> <svg> =`, '<a href=', '\0', '\u00fc', '\u{1f600}', ' '),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 1, max: 9 }), (pieces, slice) => {
        const document = parse(pieces.join(''), 'text/html; charset=utf-8', slice)
        assert.deepEqual(document, parse(pieces.join('')))
        JSON.stringify(document, (_key, value) => {
          if (typeof value === 'string') assert.doesNotMatch(value, /[\u0000-\u001f\u007f-\u009f]|\p{Cs}/u)
          return value
        })
      }),
    )
    fc.assert(fc.property(fc.uint8Array({ maxLength: 2_000 }), octets => void parse(Buffer.from(octets), null)))
  })
})

describe('where an element stands', () => {
  const CANONICAL = '<link rel=canonical href=/c>'
  const ROBOTS = '<meta name=robots content=noindex>'
  const placeOf = (markup: string) => {
    const { links, metas } = parse(markup)
    const places = [...links, ...metas].map(({ at = 'head' }) => at)
    assert.equal(places.length, 2, markup)
    return new Set(places)
  }
  const both = `${CANONICAL}${ROBOTS}`
  const rows: readonly (readonly [where: string, markup: string, place: 'head' | 'body' | 'noscript'])[] = [
    ['in the head', `<html><head>${both}</head><body><p>a`, 'head'],
    ['in a head that no tag begins', `<!doctype html>${both}<p>a`, 'head'],
    ['between scripts and styles', `<head><script>a</script><style>b</style><title>c</title>${both}</head>`, 'head'],
    ['behind a comment and blanks', `<head> \n\t<!-- a -->\f${both}</head>`, 'head'],
    ['behind the end of the head', `<head></head>${both}<body>`, 'head'],
    ['behind a template', `<head><template><p>a</p></template>${both}</head>`, 'head'],
    ['behind a picture for clients without scripts', `<head><noscript><img src=a></noscript>${both}</head>`, 'head'],
    ['behind text for clients without scripts', `<head><noscript>Turn on scripts</noscript>${both}</head>`, 'head'],
    ['in the body', `<head></head><body>${both}</body>`, 'body'],
    ['behind a picture in the head', `<head><img src=a>${both}</head>`, 'body'],
    ['behind a frame in the head', `<head><iframe src=a></iframe>${both}</head>`, 'body'],
    ['behind a paragraph in the head', `<head><p></p>${both}</head>`, 'body'],
    ['behind an element of its own name', `<head><x-seo></x-seo>${both}</head>`, 'body'],
    ['behind a drawing in the head', `<head><svg></svg>${both}</head>`, 'body'],
    ['behind text in the head', `<head>Hello${both}</head>`, 'body'],
    ['behind a no-break space in the head', `<head>&nbsp;${both}</head>`, 'body'],
    ['behind a stray end of a line break', `<head></br>${both}</head>`, 'body'],
    ['behind a stray end of an element', `<head></p></div>${both}</head>`, 'head'],
    ['behind the end of the document', `<head></head><body></body></html>${both}`, 'body'],
    ['in a head within the body', `<body><head>${both}</head>`, 'body'],
    ['in noscript', `<head><noscript>${both}</noscript></head>`, 'noscript'],
    ['in noscript in the body', `<body><noscript>${both}</noscript>`, 'noscript'],
    ['in the document of a frame', `<iframe srcdoc='<head>${both}</head>'></iframe>`, 'body'],
  ]
  for (const [where, markup, place] of rows)
    it(`is the ${place} ${where}`, () => assert.deepEqual(placeOf(markup), new Set([place])))

  it('does not depend on how the page arrives', () => {
    for (const [, markup] of rows) assert.deepEqual(parse(markup, undefined, 3).links, parse(markup).links)
  })

  it('is kept beside the attributes that make a link one of a variant', () => {
    assert.deepEqual(parse('<link rel=canonical href=/c media=print lang=de>').links, [
      { rel: ['canonical'], href: 'https://a.example/c', hreflang: null, type: null, media: 'print', lang: 'de' },
    ])
  })
})

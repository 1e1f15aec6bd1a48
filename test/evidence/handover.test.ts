import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findHandover } from '../../src/evidence/document/handover.ts'
import { createPageParser } from '../../src/evidence/document/page_parser.ts'

function handoverOf(markup: string, url = 'https://bakery.example/a/b') {
  const parser = createPageParser(url, 'text/html; charset=utf-8')
  parser.write(Buffer.from(markup))
  return findHandover(parser.end(false))
}

const words = 'word '.repeat(60)
const shell = '<title>App</title><div id="root"></div><script src="/app.js"></script>'

describe('a page that hands its visitors over', () => {
  const handedOver: [how: string, markup: string, site?: string][] = [
    ['by location.replace', '<script>location.replace("https://login.evil.example/x")</script>'],
    ['by location.assign', "<script>window.location.assign('https://evil.example')</script>"],
    ['by location.href', '<p>Please wait<script>top.location.href = `//evil.example/x`</script>'],
    ['by location', '<script>setTimeout(() => { document.location="https:\\/\\/evil.example\\/x" }, 9)</script>'],
    ['by a quoted member', '<script>window.location["href"]="https://evil.example/"+name</script>'],
    ['when it is loaded', `<body onload="location='https://evil.example/'">`],
    ['from a shell of an application', `${shell}<script>location.href="https://evil.example/"</script>`],
    ['to an address', '<script>location="http://203.0.113.7/x"</script>', '203.0.113.7'],
    ['by a refresh', '<meta http-equiv=refresh content="0;url=https://evil.example/">'],
    ['in a frame of the window', '<iframe src="https://evil.example/" style="width:100%;height:100vh"></iframe>'],
    [
      'in a frame that a style sheet sizes',
      '<style>.f{height:100%}</style><iframe class=f src=//evil.example/></iframe>',
    ],
    ['in a frameset', '<frameset rows="100%,*"><frame src="https://evil.example/"><frame src=empty.html></frameset>'],
    ['in an object', '<object data="https://evil.example/" width="100%" height="1000"></object>'],
    ['in an embedded page', '<embed src="https://evil.example/" width=1920 height=1080>'],
  ]
  for (const [how, markup, site = 'evil.example'] of handedOver)
    it(`${how} is found`, () => assert.equal(handoverOf(markup), site))

  const kept: [title: string, markup: string][] = [
    ['a shell of an application', shell],
    ['a destination on its own site', '<script>location="https://www.bakery.example/x"</script>'],
    ['a relative destination', '<script>location.href="/x"</script><iframe src="/y"></iframe>'],
    [
      'a destination that a script computes',
      `<script>location.href = base + "/x"; location = \`https://\${host}/\`</script>`,
    ],
    ['a comparison', '<script>if (location.href == "https://evil.example/") run()</script>'],
    ['a page with words of its own', `<p>${words}<script>location="https://evil.example/"</script>`],
    ['a page with a form', '<form><input name=user></form><script>location="https://evil.example/"</script>'],
    ['a frame for clients without scripts', '<noscript><iframe src="https://tags.example/"></iframe></noscript>'],
    ['a hidden frame', '<iframe src="https://tags.example/" hidden></iframe>'],
    ['a frame in a hidden element', '<div style="display:none"><iframe src="https://tags.example/"></iframe></div>'],
    ['a tracker', '<iframe src="https://tags.example/" width=1 height=1></iframe>'],
    ['a tracker by its style', '<iframe src="https://tags.example/" style="border:0; width:0px; height: 0"></iframe>'],
    ['a video', '<iframe src="https://video.example/" width="560" height="315"></iframe>'],
    ['an image', '<object data="data:image/png;base64,AA"></object>'],
  ]
  for (const [title, markup] of kept) it(`is not ${title}`, () => assert.equal(handoverOf(markup), null))
})

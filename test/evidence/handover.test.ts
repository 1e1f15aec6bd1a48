import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findHandover, findOtherSite } from '../../src/evidence/document/handover.ts'
import { createPageParser } from '../../src/evidence/document/page_parser.ts'
import { assertCheap } from '../cpu.ts'

function documentOf(markup: string, url = 'https://bakery.example/a/b') {
  const parser = createPageParser(url, 'text/html; charset=utf-8')
  parser.write(Buffer.from(markup))
  return parser.end(false)
}
const otherSite = (markup: string) => findOtherSite(documentOf(markup))

const words = 'word '.repeat(60)
const shell = '<title>App</title><div id="root"></div><script src="/app.js"></script>'

describe('a page that hands its visitors over to another site', () => {
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
    it(`${how} is found`, () => assert.equal(otherSite(markup), site))

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
  for (const [title, markup] of kept) it(`is not ${title}`, () => assert.equal(otherSite(markup), null))
})

describe('the next document of a page that draws little', () => {
  const next = 'https://bakery.example/x'
  type By = 'script' | 'refresh' | 'frame'
  const led: [how: string, markup: string, by: By, alone?: boolean, url?: string][] = [
    ['a script that assigns', '<script>location = "/x"</script>', 'script'],
    ['a script of a member', "<script>window.location.href='/x';</script>", 'script'],
    ['a script that replaces', '<script>top.location.replace(`/x`)</script>', 'script'],
    ['a script that opens', '<script>window.open("/x", "_self")</script>', 'script'],
    [
      'a script of another site’s page',
      '<script>self.location.assign("https://evil.example/y#z")</script>',
      'script',
      true,
      'https://evil.example/y',
    ],
    [
      'a script that waits for the page',
      '<script>window.onload = function () { location.href = "/x" }</script>',
      'script',
    ],
    [
      'a script with a listener',
      "<script>document.addEventListener('DOMContentLoaded', () => { location.href = '/x'; });</script>",
      'script',
    ],
    ['a script of jQuery', '<script>$(document).ready(function(){ window.location="/x"; });</script>', 'script'],
    ['a script that waits', '<script>setTimeout(function(){ window.location.href = "/x"; }, 900);</script>', 'script'],
    [
      'a script that waits for long',
      '<script>setTimeout(function(){ window.location.href = "/x"; }, 3000);</script>',
      'script',
      false,
    ],
    ['a script in a string', '<script>setTimeout("location.href=\'/x\'", 0)</script>', 'script'],
    ['a script in a function', '<script>(function () { location.replace("/x") })();</script>', 'script'],
    [
      'a script with a function that it calls',
      '<script>function go() { location.href = "/x" } setTimeout(go, 500);</script>',
      'script',
    ],
    [
      'a function that the page calls',
      '<script>function go() { location.href = "/x" }</script><body onload="go()">',
      'script',
      false,
    ],
    ['a handler', `<body onload="location='/x'">`, 'script'],
    ['a script in a comment', '<script><!-- location="/x" //--></script>', 'script'],
    ['a script beside others', '<script src=/statistics.js></script><script>location="/x"</script>', 'script', false],
    ['a refresh', '<meta http-equiv=refresh content="1; url=../x">', 'refresh'],
    [
      'a refresh that nobody sees the picture of',
      '<meta http-equiv=refresh content="1; url=/x"><img src=a.png>',
      'refresh',
    ],
    ['a late refresh', '<meta http-equiv=refresh content="10; url=../x">', 'refresh', false],
    [
      'a late refresh with a link to the same page',
      '<meta http-equiv=refresh content="5; url=/x"><p>You are taken to our new page. <a href="/x">Continue</a>',
      'refresh',
      false,
    ],
    [
      'a refresh beside a document in the page',
      '<meta http-equiv=refresh content="0; url=/x"><iframe srcdoc="<p>Call us"></iframe>',
      'refresh',
      false,
    ],
    [
      'a refresh beside a small object',
      '<meta http-equiv=refresh content="0; url=/x"><object data=/a.svg width=400></object>',
      'refresh',
      false,
    ],
    [
      'a refresh beside a script',
      '<meta http-equiv=refresh content="0; url=/x"><script src=/s.js></script>',
      'refresh',
      false,
    ],
    [
      'a refresh beside a frame',
      '<meta http-equiv=refresh content="0; url=/x"><iframe src=/y></iframe>',
      'refresh',
      false,
    ],
    ['a frame', '<iframe src="/x" style="width:100%;height:100vh"></iframe>', 'frame'],
    ['a frameset', '<frameset rows="100%,*"><frame src="/x"></frameset>', 'frame'],
    ['the first of two frames', '<frameset cols="20%,*"><frame src="/x"><frame src="/y"></frameset>', 'frame', false],
    [
      'a frame of another site',
      '<iframe src="https://evil.example/y"></iframe>',
      'frame',
      true,
      'https://evil.example/y',
    ],
    [
      'a frame beside a script',
      '<script>if (top != self) top.location = "/y"</script><iframe src="/x"></iframe>',
      'frame',
      false,
    ],
    [
      'what leaves first',
      '<meta http-equiv=refresh content="3; url=/y"><iframe src=/z></iframe><script>location="/x"</script>',
      'script',
    ],
    [
      'a base',
      '<base href="/c/"><meta http-equiv=refresh content="0; url=x">',
      'refresh',
      true,
      'https://bakery.example/c/x',
    ],
  ]
  for (const [how, markup, by, alone = true, url = next] of led)
    it(`is found by ${how}`, () => {
      const { seconds, ...found } = findHandover(documentOf(markup)) ?? {}
      assert.deepEqual([found, typeof seconds], [{ by, url, alone }, by === 'refresh' ? 'number' : 'object'])
    })

  const kept: [title: string, markup: string][] = [
    ['a page with words of its own', `<p>${words}<script>location="/x"</script>`],
    ['a page with a field', '<input name=user><meta http-equiv=refresh content="0; url=/x">'],
    ['a late refresh', '<meta http-equiv=refresh content="11; url=/x">'],
    ['a refresh of the page itself', '<meta http-equiv=refresh content="5">'],
    ['a script that leads to the page itself', '<script>location="/a/b#top"</script>'],
    ['a refresh that leads to a program', '<meta http-equiv=refresh content="0; url=mailto:a@bakery.example">'],
    ['a condition', '<script>if (navigator.webdriver) location="/x"</script>'],
    ['a condition after it', '<script>location="/x" + lang</script>'],
    ['a computed URL', '<script>location=`/x\u0024{lang}`</script>'],
    ['a replaced URL', '<script>location="/x".replace("x", y)</script>'],
    ['a click', '<button id=b>Confirm</button><script>b.onclick=function(){location.href="/x"}</script>'],
    [
      'a function that a click calls',
      '<script>function go() { location.href = "/x" }</script><button onclick="go()">Confirm</button>',
    ],
    ['a click that is listened to', '<script>b.addEventListener("click", () => { location.href = "/x" })</script>'],
    ['a script that draws too', '<script>location="/x"; draw()</script>'],
    ['a script that draws before', '<script>draw(); location="/x"</script>'],
    ['a variable of that name', '<script>const location="berlin"</script>'],
    ['a member of that name', '<script>shop.location="berlin"</script>'],
    ['a link', '<a href="/x">Next</a>'],
    ['a hidden frame', '<iframe src="/x" hidden></iframe>'],
    ['a script of a type that does not run', '<script type="text/plain">location="/x"</script>'],
    ['data in a script', '<script type="application/json">location="/x"</script>'],
    ['a script for old browsers', '<script nomodule>location="/x"</script>'],
    ['a script beside its file', '<script src="/a.js">location="/x"</script>'],
    ['a script that a drawing loads', '<svg><script href="/a.js">location="/x"</script></svg>'],
    ['a script for clients without scripts', '<noscript><script>location="/x"</script></noscript>'],
    ['a script in a template', '<template><script>location="/x"</script></template>'],
    ['a late refresh of a page with a picture', '<meta http-equiv=refresh content="5; url=/x"><img src=a.png>'],
    ['a late refresh of a page with a button', '<meta http-equiv=refresh content="5; url=/x"><button>Pay</button>'],
    [
      'a late refresh of a page with a link',
      '<meta http-equiv=refresh content="5; url=/x"><a href="//kit.example">Go</a>',
    ],
    [
      'a late refresh of a page with a frame',
      '<meta http-equiv=refresh content="5; url=/x"><iframe srcdoc=a></iframe>',
    ],
    ['a late refresh of a page with a sentence', `<meta http-equiv=refresh content="5; url=/x">${'word '.repeat(20)}`],
    ['a late script of a page with a picture', '<script>setTimeout("location=\'/x\'", 5000)</script><img src=a.png>'],
    ['a frame beside a picture', '<iframe src="/x"></iframe><img src=a.png>'],
    ['a frame beside a link', '<iframe src="/x"></iframe><a href="https://kit.example/">Go</a>'],
    ['a frame beside a button', '<iframe src="/x"></iframe><button>Pay</button>'],
  ]
  for (const [title, markup] of kept)
    it(`is not found by ${title}`, () => assert.equal(findHandover(documentOf(markup)), null))

  const pieces = ['location.href = "', 'window.', 'location=', 'setTimeout(', 'function a(){', 'open("x",']
  for (const piece of [...pieces, "location='a';", "location='//a.example/';", 'open("a","_self");'])
    it(`costs little: ${piece}`, () => {
      const document = documentOf(`<script>${piece.repeat(250_000 / piece.length)}</script>`)
      assertCheap(() => [findHandover(document), findOtherSite(document)])
    })
})

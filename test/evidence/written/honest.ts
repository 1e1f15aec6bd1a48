// What honest pages do with the means by which others hide themselves.

export interface Use {
  readonly title: string
  readonly markup: string
}

/** An ordinary page with text of its own, into which each use is put before the end of the body. */
export const pageWith = (markup: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Orchard Notes – growing apples in small gardens</title>
<meta name="description" content="How we prune, graft and store apples, month by month.">
<link rel="icon" href="/favicon.ico">
</head>
<body>
<header><a href="/">Orchard Notes</a> <nav><a href="/pruning">Pruning</a> <a href="/grafting">Grafting</a> <a href="/storing">Storing</a> <a href="/about">About us</a></nav></header>
<main>
<h1>When to prune an old apple tree</h1>
<p>Old trees bear best when light reaches every branch. We prune between the fall of the last leaf and the first swelling of the buds, on a dry day without frost, and never take more than a third of the crown in one winter.</p>
<img src="/img/crown.jpg" alt="The crown of an apple tree before and after pruning" width="640" height="480">
<h2>What we cut first</h2>
<p>Dead wood goes first, then whatever crosses, rubs or grows towards the trunk. Water shoots are easier to pull off in July than to cut in January. Paint on the wounds does more harm than good – the tree closes them better by itself.</p>
<h2>What we leave</h2>
<p>Short, knobbly spurs carry next year’s blossom. A branch that hangs low is tied up rather than removed, because it bears earlier than one that stands upright.</p>
</main>
<div id="root"></div>
<aside id="comments"></aside>
${markup}
<footer><p>© 2026 Orchard Notes, Mill Lane 4. <a href="/imprint">Imprint</a> <a href="/privacy">Privacy</a></p></footer>
</body>
</html>
`

const script = (code: string): string => `<script>\n${code}\n</script>`

const uses: Readonly<Record<string, string>> = {
  'a consent banner in innerHTML': script(`(function () {
  if (localStorage.getItem('consent')) return;
  var banner = document.createElement('div');
  banner.className = 'consent';
  banner.innerHTML = '<p>We use cookies to count visits. <a href="/privacy">Read more</a></p><button id="accept">Accept</button><button id="refuse">Refuse</button>';
  document.body.appendChild(banner);
})();`),
  'a cookie notice in insertAdjacentHTML': script(
    `document.body.insertAdjacentHTML('beforeend', '<div class="notice" role="dialog"><p>This site stores one cookie.</p><button type="button" data-close>OK</button> <a href="/privacy">Details<\\/a><\\/div>');`,
  ),
  'comments whose script is written': script(
    `document.write('<scr' + 'ipt async src="https://comments.example/embed.js" data-page="' + location.pathname + '"></scr' + 'ipt>');`,
  ),
  'a counter': script(
    `document.write('<img src="https://counter.example/hit?site=204&ref=' + encodeURIComponent(document.referrer) + '" width="1" height="1" alt="">');`,
  ),
  'the classic Google Analytics': `${script(`var gaJsHost = (("https:" == document.location.protocol) ? "https://ssl." : "http://www.");
document.write(unescape("%3Cscript src='" + gaJsHost + "google-analytics.com/ga.js' type='text/javascript'%3E%3C/script%3E"));`)}
${script(`try { var pageTracker = _gat._getTracker("UA-1204-1"); pageTracker._trackPageview(); } catch (err) {}`)}`,
  'an advertisement': script(
    `document.write('<div class="ad"><a href="https://ads.example/click?slot=7"><img src="https://ads.example/banner?slot=7" width="468" height="60" alt="Advertisement"></a></div>');`,
  ),
  'an advertisement in a frame that is written': script(
    `document.write('<iframe src="https://ads.example/slot/7?n=' + Math.floor(Math.random() * 1e9) + '" width="300" height="250" frameborder="0" scrolling="no"></iframe>');`,
  ),
  'a polyfill': script(
    `window.Promise || document.write('<script src="/js/promise-polyfill.min.js"><\\/script>');
'fetch' in window || document.write('<script src="/js/fetch.min.js"><\\/script>');`,
  ),
  'a mail address by fromCharCode': script(
    `document.write(String.fromCharCode(60,97,32,104,114,101,102,61,34,109,97,105,108,116,111,58,111,110,101,64,111,114,99,104,97,114,100,46,101,120,97,109,112,108,101,34,62,87,114,105,116,101,32,116,111,32,117,115,60,47,97,62));`,
  ),
  'a mail address that is reversed': script(
    `var address = 'elpmaxe.drahcro@olleh'.split('').reverse().join('');
document.getElementById('root').innerHTML = '<a href="mailto:' + address + '">' + address + '</a>';`,
  ),
  'a mail address by unescape': script(
    `document.write('<a href="' + unescape('%6d%61%69%6c%74%6f%3a%68%65%6c%6c%6f%40%6f%72%63%68%61%72%64%2e%65%78%61%6d%70%6c%65') + '">Write to us</a>');`,
  ),
  'a web component with a template': `<template id="apple-card"><style>.card { padding: 1em }</style><div class="card"><slot name="sort"></slot></div></template>
<apple-card><b slot="sort">Boskoop</b></apple-card>
${script(`customElements.define('apple-card', class extends HTMLElement {
  constructor() {
    super();
    this.attachShadow({ mode: 'open' }).appendChild(document.getElementById('apple-card').content.cloneNode(true));
  }
});`)}`,
  'a declarative shadow root':
    '<apple-note><template shadowrootmode="open"><style>p { font-style: italic }</style><p><slot></slot></p></template>Boskoop keeps until March.</apple-note>',
  'rows from a template': `<table><tbody id="rows"></tbody></table>
<template id="row"><tr><td class="month"></td><td class="work"></td></tr></template>
${script(`const rows = document.querySelector('#rows');
for (const [month, work] of [['January', 'Pruning'], ['March', 'Grafting']]) {
  const row = document.querySelector('#row').content.cloneNode(true);
  row.querySelector('.month').textContent = month;
  row.querySelector('.work').textContent = work;
  rows.appendChild(row);
}`)}`,
  'an accordion with a template': `<template id="panel"><details><summary>How much water?</summary><p>Two cans a week in a dry June.</p></details></template>
${script(`document.getElementById('root').append(document.importNode(document.getElementById('panel').content, true));`)}`,
  'a shell that loads an application': `<div id="loading"><style>#loading { text-align: center }</style><div class="bar"></div><p>Loading Orchard Planner…</p><p><a href="/plain">Load the plain HTML version</a> (for slow connections)</p></div>
<noscript>Turn on JavaScript to use the planner, or read the <a href="/calendar">calendar</a>.</noscript>
<script>var GLOBALS = ["en", null, "2026.11.2", 1, "https://orchard-notes.org", [[1, 2], [3, 4]]];</script>
<script src="/planner/app.3f2a91c4.js"></script>`,
  JSONP: `${script(`function showWeather(weather) { document.getElementById('root').innerHTML = '<p>Frost tonight: ' + (weather.min < 0 ? 'yes' : 'no') + '</p>'; }`)}
<script src="https://weather.example/today?callback=showWeather"></script>`,
  'the runtime of webpack': script(
    `(()=>{"use strict";var e,r={},t={};function o(e){var n=t[e];if(void 0!==n)return n.exports;var i=t[e]={exports:{}};return r[e](i,i.exports,o),i.exports}o.m=r,o.u=e=>"js/"+e+"."+{12:"a41f",88:"09cd"}[e]+".js",o.l=(r,t)=>{var n=document.createElement("script");n.src=o.p+r,n.onload=t,document.head.appendChild(n)},o.p="/static/",(self.webpackChunkorchard=self.webpackChunkorchard||[]).push=e.bind(null,o)})();`,
  ),
  'a window for printing': `<button type="button" onclick="printNote()">Print this note</button>
${script(`function printNote() {
  var w = window.open('', 'print', 'width=700,height=900');
  w.document.write('<html><head><title>Orchard Notes</title><link rel="stylesheet" href="/css/print.css"></head><body>');
  w.document.write(document.querySelector('main').innerHTML);
  w.document.write('</body></html>');
  w.document.close();
  w.print();
}`)}`,
  'styles that are put in': script(
    `var style = document.createElement('style');
style.innerHTML = '.badge{display:inline-block;background:#eee}.badge:hover{background:#ddd}';
document.head.appendChild(style);
document.write('<style>.js-only{display:block}<\\/style>');`,
  ),
  'icons in innerHTML': script(
    `document.querySelectorAll('nav a').forEach(function (link) {
  link.innerHTML = '<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="M2 8l4 4 8-8" fill="none" stroke="currentColor"/></svg> ' + link.innerHTML;
});`,
  ),
  'JSON in a script element': `<script type="application/json" id="settings">{"locale":"en","html":"<b>Boskoop<\\/b>","sorts":["Boskoop","Cox"]}</script>
${script(`window.settings = JSON.parse(document.getElementById('settings').textContent);`)}`,
  'a picture as base64': `<img id="dot" alt="">
${script(`document.getElementById('dot').src = 'data:image/gif;base64,' + 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';`)}`,
  'a font as a data URL':
    '<style>@font-face { font-family: notes; src: url(data:font/woff2;base64,d09GMgABAAAAAAKkAAsAAAAABZwAAAJXAAEAAAAAAAAAAAAAAAAAAAAAAAAA) format("woff2") }</style>',
  'a service worker': script(
    `if ('serviceWorker' in navigator) window.addEventListener('load', () => navigator.serviceWorker.register('/sw.js'));`,
  ),
  'a worker from a blob': script(
    `const code = 'onmessage = e => postMessage(e.data.map(n => n * 2))';
const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })));
worker.postMessage([1, 2, 3]);`,
  ),
  'a download from a blob': `<button type="button" id="save">Save the calendar</button>
${script(`document.getElementById('save').onclick = () => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(['BEGIN:VCALENDAR\\r\\nEND:VCALENDAR'], { type: 'text/calendar' }));
  link.download = 'pruning.ics';
  link.click();
};`)}`,
  'a search form that is written': script(
    `document.write('<form action="/search" method="get"><input type="search" name="q" placeholder="Search our notes"><button>Search</button></form>');`,
  ),
  'a newsletter form in innerHTML': script(
    `document.getElementById('root').innerHTML = '<form action="/newsletter" method="post"><label>Your e-mail <input type="email" name="email" required></label><button>Subscribe</button></form><p>One letter a month. You can leave at any time.</p>';`,
  ),
  'a chat': script(
    `(function (d) {
  var box = d.createElement('div');
  box.id = 'chat';
  box.innerHTML = '<div class="chat-head">Questions?</div><iframe title="Chat" src="https://chat.example/widget?site=orchard"></iframe>';
  d.body.appendChild(box);
  var s = d.createElement('script'); s.async = true; s.src = 'https://chat.example/loader.js'; d.head.appendChild(s);
})(document);`,
  ),
  'a map': `<div id="map" style="height:300px"></div>
${script(`document.getElementById('map').innerHTML = '<iframe src="https://maps.example/embed?q=Mill+Lane+4" width="600" height="300" loading="lazy" title="Where we are"></iframe>';`)}`,
  'a captcha': `<script src="https://www.google.com/recaptcha/api.js?render=explicit&onload=ready" async defer></script>
${script(`function ready() { grecaptcha.render('root', { sitekey: '6LdORCHARDNOTES' }); }`)}`,
  'a countdown': script(
    `setInterval(function () {
  var days = Math.ceil((new Date('2027-01-06') - new Date()) / 864e5);
  document.getElementById('root').innerHTML = '<p>The pruning course starts in <b>' + days + '</b> days.</p>';
}, 1000);`,
  ),
  htmx: `<script src="/js/htmx.min.js"></script>
<div hx-get="/notes/latest" hx-trigger="revealed" hx-swap="outerHTML">Loading the latest notes…</div>`,
  'Alpine with a template': `<script defer src="/js/alpine.min.js"></script>
<div x-data="{ open: false, sorts: ['Boskoop', 'Cox'] }"><button type="button" @click="open = !open">Sorts</button><template x-if="open"><ul><template x-for="sort in sorts"><li x-text="sort"></li></template></ul></template></div>`,
  Turbo: `<turbo-frame id="latest" src="/latest" loading="lazy"><p>Loading…</p></turbo-frame>
<turbo-stream action="append" target="comments"><template><article><p>Thanks, that helped with our old Cox.</p></article></template></turbo-stream>`,
  MathJax: `<p>Yield: \\(y = 0.7 \\cdot d^2\\)</p>
${script(`window.MathJax = { tex: { inlineMath: [['\\\\(', '\\\\)']] } };`)}
<script async id="MathJax-script" src="https://cdn.jsdelivr.net/npm/mathjax@3/es5/tex-mml-chtml.js"></script>`,
  Disqus: `<div id="disqus_thread"></div>
${script(`var disqus_config = function () { this.page.identifier = 'pruning'; };
(function () {
  var d = document, s = d.createElement('script');
  s.src = 'https://orchardnotes.disqus.com/embed.js';
  s.setAttribute('data-timestamp', +new Date());
  (d.head || d.body).appendChild(s);
})();`)}
<noscript>Please enable JavaScript to view the comments.</noscript>`,
  'a post that is embedded': `<blockquote class="twitter-tweet"><p lang="en" dir="ltr">First blossom on the Boskoop today.</p>— Orchard Notes <a href="https://twitter.com/orchardnotes/status/1204">April 21, 2026</a></blockquote>
<script async src="https://platform.twitter.com/widgets.js" charset="utf-8"></script>`,
  'a tag manager': `${script(`(function(w,d,s,l,i){w[l]=w[l]||[];w[l].push({'gtm.start':new Date().getTime(),event:'gtm.js'});var f=d.getElementsByTagName(s)[0],j=d.createElement(s),dl=l!='dataLayer'?'&l='+l:'';j.async=true;j.src='https://www.googletagmanager.com/gtm.js?id='+i+dl;f.parentNode.insertBefore(j,f);})(window,document,'script','dataLayer','GTM-ORCH4RD');`)}
<noscript><iframe src="https://www.googletagmanager.com/ns.html?id=GTM-ORCH4RD" height="0" width="0" style="display:none;visibility:hidden"></iframe></noscript>`,
  'a picture without scripts': `<img class="lazy" data-src="/img/spur.jpg" src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='4' height='3'/%3E" alt="A spur">
<noscript><img src="/img/spur.jpg" alt="A spur"></noscript>`,
  'settings as base64': script(
    `var settings = JSON.parse(atob('eyJsb2NhbGUiOiJlbiIsInVuaXRzIjoibWV0cmljIiwic29ydHMiOlsiQm9za29vcCIsIkNveCJdfQ=='));
document.documentElement.dataset.units = settings.units;`,
  ),
  'a parameter of the query': script(
    `var from = decodeURIComponent((location.search.match(/[?&]from=([^&]*)/) || [])[1] || '');
if (from === 'letter') document.documentElement.className += ' from-letter';`,
  ),
  'code that is shown': `<h2>How we hide our address from harvesters</h2>
<pre><code>&lt;script&gt;
document.write(atob("PGZvcm0+PGlucHV0IHR5cGU9cGFzc3dvcmQ+PC9mb3JtPg=="));
document.body.innerHTML = unescape("%3Cform%3E%3Cinput%20type%3Dpassword%3E%3C/form%3E");
&lt;/script&gt;</code></pre>`,
  'a bundle in the page': script(
    `!function(e,t){"object"==typeof exports?module.exports=t():e.Slider=t()}(this,function(){function e(e){this.el=e,this.at=0,e.innerHTML='<div class="track">'+e.innerHTML+'</div><button class="prev" type="button">\\u2039</button><button class="next" type="button">\\u203a</button>',this.track=e.firstChild}return e.prototype.go=function(e){this.track.style.transform="translateX(-"+100*(this.at=e)+"%)"},e});`,
  ),
  'the state of React': `<script>self.__next_f=self.__next_f||[];self.__next_f.push([1,"0:[\\"$\\",\\"main\\",null,{\\"children\\":[\\"$\\",\\"h1\\",null,{\\"children\\":\\"When to prune\\"}]}]\\n"])</script>
<script id="__NEXT_DATA__" type="application/json">{"props":{"pageProps":{"html":"\\u003cp\\u003eOld trees bear best.\\u003c/p\\u003e"}},"page":"/pruning"}</script>`,
  'the state of Vue': script(
    `window.__INITIAL_STATE__={"note":{"title":"When to prune","body":"\\u003Cp\\u003EOld trees bear best.\\u003C\\u002Fp\\u003E"}};(function(){var s;(s=document.currentScript||document.scripts[document.scripts.length-1]).parentNode.removeChild(s);}());`,
  ),
  'a script for old browsers': `<!--[if lt IE 9]><script>document.write('<script src="/js/html5shiv.js"><\\/script>')</script><![endif]-->`,
}

export const honestUses: readonly Use[] = Object.entries(uses).map(([title, markup]) => ({ title, markup }))

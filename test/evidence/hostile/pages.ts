// Pages that attack the browser that draws them, the network that it is in, or the service that waits for it.

export interface HostilePage {
  readonly title: string
  /** The script of the page; or all of it, if it begins with `<`. */
  readonly page: string
  /** The response of the page, in place of a page. */
  readonly redirects?: string
  /** Header fields of the page. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Addresses that nothing may contact, in the spellings of those who try. */
export const INSIDE = [
  'http://127.0.0.1/',
  'http://127.0.0.1:8080/',
  'http://localhost/',
  'http://[::1]/',
  'http://0.0.0.0/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://[::ffff:127.0.0.1]/',
  'http://10.0.0.1/',
  'http://192.168.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://100.100.100.200/',
  'http://172.16.0.1/',
  'http://points-inside.lab/',
  'https://127.0.0.1/',
  'https://10.0.0.1/',
  'https://points-inside.lab/',
  'http://inside.local/',
  'http://router/',
] as const

const all = JSON.stringify(INSIDE)
const each = (script: string) => `for (const url of ${all}) { try { ${script} } catch {} }`
/** Elements of the page for each address. */
const elements = (make: (url: string) => string) => `<!doctype html><body><p>Elements</p>${INSIDE.map(make).join('')}`

const reaches: readonly HostilePage[] = [
  { title: 'fetches from inside', page: each(`fetch(url, { mode: 'no-cors' }).catch(() => {})`) },
  {
    title: 'fetches from a declared private network',
    page: each(`fetch(url, { targetAddressSpace: 'local' }).catch(() => {})`),
  },
  {
    title: 'sends to inside by XMLHttpRequest',
    page: each(`const x = new XMLHttpRequest(); x.open('POST', url); x.send('x')`),
  },
  { title: 'opens WebSockets inside', page: each(`new WebSocket(url.replace('http', 'ws'))`) },
  { title: 'opens event streams inside', page: each(`new EventSource(url)`) },
  { title: 'sends beacons inside', page: each(`navigator.sendBeacon(url, 'x')`) },
  {
    title: 'opens WebTransport inside',
    page: each(`new WebTransport(url.replace('http:', 'https:')).ready.catch(() => {})`),
  },
  {
    title: 'asks STUN servers by WebRTC',
    page: `const peer = new RTCPeerConnection({ iceServers: [{ urls: ['stun:10.0.0.1:3478', 'stun:45.91.0.9:3478', 'turn:10.0.0.1:3478?transport=tcp'], username: 'u', credential: 'c' }] })
      peer.createDataChannel('x'); peer.createOffer().then(offer => peer.setLocalDescription(offer))`,
  },
  { title: 'has pictures from inside', page: elements(url => `<img src="${url}"><svg><image href="${url}"/></svg>`) },
  {
    title: 'has frames from inside',
    page: elements(url => `<iframe src="${url}"></iframe><object data="${url}"></object><embed src="${url}">`),
  },
  {
    title: 'has fonts and style sheets from inside',
    page: elements(
      url =>
        `<style>@import "${url}"; @font-face { font-family: f; src: url("${url}f.woff2") } p { font-family: f; background: url("${url}") }</style><link rel=stylesheet href="${url}">`,
    ),
  },
  {
    title: 'has scripts, videos and tracks from inside',
    page: elements(
      url =>
        `<script src="${url}"></script><video src="${url}" autoplay><track default src="${url}"></video><audio src="${url}">`,
    ),
  },
  {
    title: 'preconnects and prefetches inside',
    page: elements(url =>
      ['preconnect', 'dns-prefetch', 'prefetch', 'preload', 'modulepreload', 'prerender', 'icon', 'manifest']
        .map(rel => `<link rel=${rel} as=script href="${url}">`)
        .join(''),
    ),
  },
  {
    title: 'has speculation rules for inside',
    page: `<!doctype html><script type=speculationrules>${JSON.stringify({ prerender: [{ urls: INSIDE, eagerness: 'immediate' }], prefetch: [{ urls: INSIDE, eagerness: 'immediate' }] })}</script><p>Rules`,
    headers: { 'Speculation-Rules': '"/rules.json"' },
  },
  { title: 'is redirected to loopback by HTTP', page: '', redirects: 'http://127.0.0.1/' },
  {
    title: 'is redirected to the metadata service by HTTP',
    page: '',
    redirects: 'http://169.254.169.254/latest/meta-data/',
  },
  { title: 'is redirected to a name of an address inside', page: '', redirects: 'http://points-inside.lab/' },
  { title: 'leads to loopback by a script', page: `location.href = 'http://127.0.0.1:8080/'` },
  {
    title: 'leads to loopback by a refresh',
    page: '<!doctype html><meta http-equiv=refresh content="0;url=http://[::1]/"><p>Wait',
  },
  {
    title: 'posts a form to inside',
    page: `const form = document.createElement('form'); form.method = 'post'; form.action = 'http://10.0.0.1/'; document.body.append(form); form.submit()`,
  },
  {
    title: 'is rebound between two requests',
    page: `fetch('http://rebinding.lab/one', { mode: 'no-cors' }).finally(() => fetch('http://rebinding.lab/two', { mode: 'no-cors' })).catch(() => {})`,
  },
  {
    title: 'registers a service worker that fetches from inside',
    page: `navigator.serviceWorker?.register('/worker.js').catch(() => {}); fetch('/any').catch(() => {})`,
  },
  {
    title: 'fetches from inside in workers',
    page: `const text = ${JSON.stringify(`${each(`fetch(url, { mode: 'no-cors' }).catch(() => {})`)}`)}
      const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' })); new Worker(url); new SharedWorker(url)`,
  },
  {
    title: 'reads local files',
    page: `for (const url of ['file:///etc/passwd', 'file:///proc/self/environ']) { fetch(url).catch(() => {}); const f = document.createElement('iframe'); f.src = url; document.body.append(f) } setTimeout(() => { location.href = 'file:///etc/passwd' }, 200)`,
  },
  { title: 'is redirected to a local file', page: '', redirects: 'file:///etc/passwd' },
  {
    title: 'opens pages of the browser',
    page: `for (const url of ['chrome://version', 'chrome://settings', 'devtools://devtools/bundled/inspector.html', 'view-source:http://127.0.0.1/', 'about:gpu']) { const f = document.createElement('iframe'); f.src = url; document.body.append(f); open(url) } location.href = 'chrome://crash'`,
  },
  {
    title: 'has an XML document with an entity of a file',
    page: '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd"><!ENTITY f SYSTEM "http://127.0.0.1/">]><a>&e;&f;</a>',
    headers: { 'Content-Type': 'application/xml' },
  },
  {
    title: 'reports to inside',
    page: each(`fetch('/missing-' + Math.random()).catch(() => {})`),
    headers: {
      'Report-To': `{"group":"g","max_age":9999,"endpoints":[{"url":"https://10.0.0.1/"}]}`,
      NEL: '{"report_to":"g","max_age":9999}',
      'Content-Security-Policy-Report-Only': "default-src 'none'; report-uri http://10.0.0.1/",
    },
  },
  {
    title: 'asks for devices and places',
    page: `navigator.geolocation.getCurrentPosition(() => {}); Notification.requestPermission(); navigator.mediaDevices?.getUserMedia({ audio: true, video: true }).catch(() => {}); navigator.bluetooth?.requestDevice({ acceptAllDevices: true }).catch(() => {}); navigator.usb?.requestDevice({ filters: [] }).catch(() => {})`,
  },
  {
    title: 'opens programs of the machine',
    page: `for (const url of ['mailto:a@b.example', 'tel:1', 'ms-settings:', 'ssh://10.0.0.1', 'telnet://10.0.0.1', 'ftp://10.0.0.1/', 'smb://10.0.0.1/']) { const f = document.createElement('iframe'); f.src = url; document.body.append(f); open(url) }`,
  },
]

const exhausts: readonly HostilePage[] = [
  { title: 'never ends its script', page: 'for (;;) {}' },
  { title: 'never ends its microtasks', page: 'const again = () => Promise.resolve().then(again); again()' },
  {
    title: 'adds 10 000 elements a tick',
    page: `setInterval(() => { for (let n = 0; n < 10000; n++) document.body.append(document.createElement('p')) })`,
  },
  {
    title: 'forks frames of itself',
    page: `for (const n of [1, 2]) { const f = document.createElement('iframe'); f.src = '/?' + Math.random(); document.body.append(f) }`,
  },
  {
    title: 'forks frames of documents within',
    page: `const make = depth => { for (let n = 0; n < 9; n++) { const f = document.createElement('iframe'); document.body.append(f); if (depth) { f.srcdoc = '<script>parent.make(' + (depth - 1) + ')</scr' + 'ipt>' } } }; globalThis.make = make; make(6)`,
  },
  { title: 'storms with alerts', page: 'for (;;) alert(Math.random())' },
  {
    title: 'storms with prompts, and stays',
    page: `onbeforeunload = () => 'stay'; setInterval(() => { prompt('a'); confirm('b') })`,
  },
  {
    title: 'does not let go',
    page: `addEventListener('beforeunload', event => { event.preventDefault(); event.returnValue = 'x'; for (;;) {} }); setInterval(() => { location.href = '/?' + Math.random() }, 50)`,
  },
  { title: 'prints', page: 'setInterval(print); print()' },
  {
    title: 'opens windows',
    page: `setInterval(() => { for (let n = 0; n < 50; n++) open('/?' + n, '_blank') }); for (let n = 0; n < 50; n++) { const a = document.createElement('a'); a.href = '/'; a.target = '_blank'; a.click() }`,
  },
  {
    title: 'fills the JavaScript heap',
    page: 'const all = []; for (;;) all.push(new Array(1e5).fill(Math.random()).map(String))',
  },
  {
    title: 'fills array buffers',
    page: 'const all = []; for (;;) { const one = new Uint8Array(64 * 2 ** 20); one.fill(1); all.push(one) }',
  },
  {
    title: 'fills WebAssembly memory',
    page: 'const all = []; for (;;) { const memory = new WebAssembly.Memory({ initial: 1024 }); new Uint8Array(memory.buffer).fill(1); all.push(memory) }',
  },
  {
    title: 'draws with WebGL and WebGPU',
    page: `for (let n = 0; n < 64; n++) { const c = document.createElement('canvas'); c.width = c.height = 4096; const gl = c.getContext('webgl2') ?? c.getContext('webgl'); gl?.clear(gl.COLOR_BUFFER_BIT); document.body.append(c) } navigator.gpu?.requestAdapter().then(a => a?.requestDevice())`,
  },
  {
    title: 'has large canvases',
    page: `const all = []; for (let n = 0; n < 64; n++) { const c = document.createElement('canvas'); c.width = c.height = 16384; const d = c.getContext('2d'); d.fillRect(0, 0, 16384, 16384); all.push(c); document.body.append(c) }`,
  },
  {
    title: 'has large filters and gradients',
    page: `<!doctype html><style>body { width: 1e7px; height: 1e7px; background: repeating-conic-gradient(red, blue 1deg) } div { filter: blur(999px) drop-shadow(9px 9px 999px red); backdrop-filter: blur(999px); animation: a 1ms infinite } @keyframes a { to { transform: scale(1e6) rotate(1turn) } }</style>${'<div>'.repeat(400)}`,
  },
  {
    title: 'is nested 100 000 deep',
    page: `let at = document.body; for (let n = 0; n < 1e5; n++) { const one = document.createElement('b'); at.append(one); at = one }`,
  },
  { title: 'has one text of 300 million characters', page: `document.body.textContent = 'x'.repeat(3e8)` },
  {
    title: 'has closed shadow roots without an end',
    page: `let at = document.body; for (let n = 0; n < 5000; n++) { const one = document.createElement('div'); one.attachShadow({ mode: n % 2 ? 'open' : 'closed' }).innerHTML = '<p>x</p>'; at.append(one); at = one.shadowRoot ?? one }`,
  },
  {
    title: 'writes long messages to the console',
    page: `const text = 'x'.repeat(1e6); setInterval(() => { for (let n = 0; n < 100; n++) console.error(text, { text }, document) })`,
  },
  {
    title: 'throws without an end',
    page: `setInterval(() => { for (let n = 0; n < 100; n++) setTimeout(() => { throw new Error('x'.repeat(1e5)) }) })`,
  },
  {
    title: 'requests without an end',
    page: `setInterval(() => { for (let n = 0; n < 100; n++) fetch('/?' + Math.random()).catch(() => {}) })`,
  },
  { title: 'reloads without an end', page: 'location.reload()' },
  { title: 'navigates without an end', page: `location.href = '/?' + Math.random()` },
  {
    title: 'fills the history',
    page: `for (let n = 0; ; n++) { try { history.pushState(n, '', '/?' + n) } catch {} location.hash = n }`,
  },
  {
    title: 'starts workers without an end',
    page: `const url = URL.createObjectURL(new Blob(['for (;;) {}'], { type: 'text/javascript' })); for (let n = 0; n < 500; n++) new Worker(url)`,
  },
  {
    title: 'downloads without an end',
    page: `setInterval(() => { const a = document.createElement('a'); a.href = URL.createObjectURL(new Blob(['x'.repeat(1e6)])); a.download = 'x' + Math.random() + '.exe'; a.click(); location.href = '/file.bin' })`,
  },
  {
    title: 'is a download',
    page: 'MZ',
    headers: { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'attachment; filename=x.exe' },
  },
  {
    title: 'never ends its body',
    page: `fetch('/endless').then(async answer => { for await (const _ of answer.body); }).catch(() => {})`,
  },
  { title: 'searches with a pattern that backtracks', page: `/^(a+)+$/.test('a'.repeat(60) + 'b')` },
  {
    title: 'fills every storage',
    page: `(async () => { const db = indexedDB.open('x'); db.onupgradeneeded = () => db.result.createObjectStore('s'); db.onsuccess = () => { for (let n = 0; n < 99; n++) db.result.transaction('s', 'readwrite').objectStore('s').put(new Uint8Array(2e7), n) }; const cache = await caches?.open('x'); await cache?.put('/x', new Response(new Uint8Array(2e8))); localStorage.x = 'x'.repeat(4e6) })().catch(() => {})`,
  },
  {
    title: 'replaces what our reader calls',
    page: `for (const name of ['checkVisibility', 'getHTML', 'getBoundingClientRect', 'setAttribute']) Element.prototype[name] = () => { for (;;) {} }; Object.defineProperty(Document.prototype, 'body', { get() { for (;;) {} } }); JSON.stringify = () => { for (;;) {} }`,
  },
]

export const hostilePages: readonly HostilePage[] = [...reaches, ...exhausts]

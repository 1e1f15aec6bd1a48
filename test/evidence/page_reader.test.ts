// A page that is parsed in slices, in turns with other checks.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { type Cpu, CpuQueue } from '../../src/base/cpu_queue.ts'
import { createPageParser } from '../../src/evidence/document/page_parser.ts'
import { createPageReader } from '../../src/evidence/document/page_reader.ts'
import type { Exchange, Flow } from '../../src/network/http.ts'
import { parts } from '../any_text.ts'

const url = 'https://a.example/dir/page'
const HTML = [['content-type', 'text/html']] as const
const UNHELD: Flow = { pause() {}, resume() {} }
/** Milliseconds that no test takes. */
const LONG = 600_000

const headOf = (headers: Exchange['headers'], at = url) => ({
  url: at,
  address: '93.184.216.34',
  status: 200,
  http_version: '1.1',
  headers,
})

function navigationOf(truncated: string | null, headers: Exchange['headers'] = HTML) {
  const exchange = { ...headOf(headers), wire_bytes: 1, decoded_bytes: 1, truncated }
  return { exchanges: [exchange], failure: null, stopped: null, stopped_at: null }
}

const alone = (): Cpu => new CpuQueue().open('')

async function read(chunks: readonly Buffer[], headers: Exchange['headers'] = HTML) {
  const reader = createPageReader(alone(), performance.now() + LONG)
  const write = reader.receive(headOf(headers), UNHELD)
  for (const chunk of chunks) write?.(chunk)
  return (await reader.read(navigationOf(null, headers))).document
}

describe('a response', () => {
  it('is read by the last media type that it names', async () => {
    const document = await read(
      [Buffer.from('<title>seen</title>')],
      [
        ['content-type', 'text/plain'],
        ['content-type', 'text/html'],
      ],
    )
    assert.equal(document?.title, 'seen')
  })

  it('has its own refresh before those of its metas', async () => {
    const headers = [['refresh', '0;url=//evil.example/']] as const
    const document = await read([Buffer.from('<meta http-equiv=refresh content=9>')], headers)
    assert.deepEqual(document?.metas, [
      { name: 'refresh', content: '0;url=//evil.example/' },
      { name: 'refresh', content: '9' },
    ])
  })

  it('of a redirect is not part of the document', async () => {
    const reader = createPageReader(alone(), performance.now() + LONG)
    reader.receive(headOf(HTML), UNHELD)?.(Buffer.from('<title>first</title>'))
    reader.receive(headOf(HTML, 'https://b.example/'), UNHELD)?.(Buffer.from('<h1>second</h1>'))
    const { document } = await reader.read(navigationOf(null))
    assert.deepEqual([document?.url, document?.title], ['https://b.example/', null])
    assert.deepEqual(document?.headings, [{ level: 1, text: 'second' }])
  })
})

/** A CPU that runs a step only when it is told to. */
function stepwise() {
  const steps: (() => void)[] = []
  const cpu: Cpu = { run: step => new Promise(resolve => void steps.push(() => resolve(step()))) }
  const settled = () => new Promise(resolve => setImmediate(resolve))
  return {
    cpu,
    steps,
    async run(most = Number.POSITIVE_INFINITY): Promise<void> {
      for (let left = most; left > 0 && steps.length > 0; left--) {
        steps.shift()?.()
        await settled()
      }
    },
  }
}

describe('a page that arrives faster than it is parsed', () => {
  function start(over = performance.now() + LONG) {
    const log: string[] = []
    const { cpu, steps, run } = stepwise()
    const reader = createPageReader(cpu, over)
    const flow = { pause: () => void log.push('pause'), resume: () => void log.push('resume') }
    const write = reader.receive(headOf(HTML), flow)
    if (write === null) throw new Error('the page is not read')
    return { log, reader, write, steps, run }
  }
  const words = (octets: number) => Buffer.alloc(octets, 'word ')

  it('is parsed in slices of 8 KiB', async () => {
    const { write, reader, run, steps } = start()
    write(words(20 * 1024))
    await run(3)
    assert.equal(steps.length, 0)
    const reading = reader.read(navigationOf(null))
    await new Promise(resolve => setImmediate(resolve))
    await run()
    const { document, navigation } = await reading
    assert.deepEqual([document?.truncated, navigation.exchanges[0]?.truncated], [false, null])
    assert.equal(document?.word_count, 4_096)
  })

  it('is held back from 128 KiB on that wait, until 32 KiB are left', async () => {
    const { write, log, run } = start()
    write(words(128 * 1024))
    assert.deepEqual(log, [])
    write(words(1))
    write(words(1024))
    assert.deepEqual(log, ['pause'])
    await run(12)
    assert.deepEqual(log, ['pause'])
    await run(1)
    assert.deepEqual(log, ['pause', 'resume'])
  })

  it('is cut when its time is over, and the exchange says so', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { write, reader, log, run } = start(performance.now())
    write(Buffer.concat([Buffer.from('<title>seen</title>'), words(200 * 1024)]))
    await run(1)
    const reading = reader.read(navigationOf(null))
    // Until the time is over, steps wait for their turn.
    t.mock.timers.tick(1)
    await turn()
    assert.deepEqual(log, ['pause', 'resume'])
    await run()
    const { document, navigation } = await reading
    assert.deepEqual([document?.title, document?.truncated], ['seen', true])
    assert.equal(navigation.exchanges[0]?.truncated, 'not_analysed')
  })

  it('is unavailable when not even the beginning can be built in time', async () => {
    const { write, reader } = start(performance.now())
    write(words(10))
    await assert.rejects(reader.read(navigationOf(null)), { name: 'Unavailable', reason: 'not_analysed' })
  })

  const late: [title: string, octets: number, truncated: string, told: string][] = [
    ['a server that sent slowly', 10, 'timeout', 'timeout'],
    ['this service, which held it back', 200 * 1024, 'timeout', 'not_analysed'],
    ['a server that broke off', 200 * 1024, 'closed', 'closed'],
  ]
  for (const [title, octets, truncated, told] of late)
    it(`that is incomplete is blamed on ${title}`, async () => {
      const { write, reader, run } = start()
      write(words(octets))
      await run()
      const reading = reader.read(navigationOf(truncated))
      await new Promise(resolve => setImmediate(resolve))
      await run()
      const { document, navigation } = await reading
      assert.deepEqual([navigation.exchanges[0]?.truncated, document?.truncated], [told, true])
    })

  it('rejects with what the parser throws, once it is read', async () => {
    const fault = new Error('a defect')
    const cpu: Cpu = { run: () => Promise.reject(fault) }
    const reader = createPageReader(cpu, performance.now() + LONG)
    reader.receive(headOf(HTML), UNHELD)?.(words(9))
    await new Promise(resolve => setImmediate(resolve))
    await assert.rejects(reader.read(navigationOf(null)), fault)
  })
})

describe('slices', () => {
  const pieces = parts(
    `
      <b> </b> </p> </div> </a> <title> </title> <h1> </h1> <table> <li> <svg><desc> </svg> <math> </math>
      <script> </script> <style> </style> .a{display:none} } <style>p{ <noscript> </noscript> <template>
      </template> <textarea> </textarea> <button> </button> <!-- --> <![CDATA[ ]]> &amp; &Afr; &#x41; </iframe>
      <label> </label> word < </ & " ' > />
    `,
    '<p class="a b" id=c>',
    '<div hidden>',
    '<a href="/x?a=1&amp;b=2">',
    '<script type="application/ld+json">',
    'var a = "<b>" ;\n\t x',
    '{"@type": "Shop"}',
    '@media x{.b{opacity:0}.c{x:y}',
    '/* } */',
    '<script>a \n\t b  </script>',
    '<style>.a{display:none} /* } */ .b {opacity:0} .c{',
    '<title>x \n y</title>',
    '<!-- comment -->',
    '<!doctype html>',
    '<?xml ?>',
    '<iframe srcdoc="<b>x</b>">',
    '<input type=password name=p>',
    '<form action=/a>',
    '<meta name=description content="What  we do">',
    '<base href=/base/>',
    '<img src=a alt="">',
    ' ',
    '\n\t ',
    '\u00fc',
    '\u20ac',
    '\ud83d\ude00',
    '\u00a0 \u2003',
    '\0',
  )
  const markup = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map(all => all.join(''))
  /** Sizes of the slices, used again and again. */
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 })

  it('give the same document as one piece, wherever they end', () => {
    fc.assert(
      fc.property(
        markup,
        sizes,
        fc.constantFrom('text/html; charset=utf-8', 'application/xhtml+xml'),
        (text, cuts, type) => {
          const octets = Buffer.from(text)
          const [whole, sliced] = [createPageParser(url, type), createPageParser(url, type)]
          whole.write(octets)
          for (let at = 0, turn = 0; at < octets.length; turn += 1) {
            const size = cuts[turn % cuts.length] ?? 1
            sliced.write(octets.subarray(at, at + size))
            at += size
          }
          assert.deepEqual(sliced.end(false), whole.end(false))
        },
      ),
      { numRuns: 400 },
    )
  })

  it('give the same document as one piece where that exceeds what is kept', () => {
    const sheet = `<style>${'.x{color:red}\n'.repeat(6_000)}.h{display:none}</style><p class=h>hidden</p>`
    const script = `<script>${'a  b\n '.repeat(50_000)}</script>`
    const page = Buffer.from(`${sheet}${script}<p>${'\ud83d\ude00  '.repeat(60_000)}`)
    const parse = (size: number) => {
      const parser = createPageParser(url, 'text/html; charset=utf-8')
      for (let at = 0; at < page.length; at += size) parser.write(page.subarray(at, at + size))
      return parser.end(false)
    }
    const whole = parse(page.length)
    assert.equal(whole.look?.hidden_characters, 'hidden'.length)
    for (const size of [8 * 1024, 999]) assert.deepEqual(parse(size), whole)
  })
})

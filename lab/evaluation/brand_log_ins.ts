// `npm run evaluate:brands`: judges the least log-in of every distinctive brand on a name that is not the brand's.

import { createTool } from '../../src/cli/tool.ts'
import { isDistinctive } from '../../src/knowledge/brands/brand.ts'
import { brands } from '../../src/knowledge/brands/brands.ts'
import { openPageChecks } from '../../src/testing/check_page.ts'
import { AGES } from './copies.ts'

createTool('evaluate:brands', 'Judges the least log-in of every distinctive brand on a foreign name.').parse()

const FOREIGN = 'https://velmora-trunk.com/'

const logIn = (name: string): string =>
  `<!doctype html><html><head><meta charset="utf-8"><title>${name}</title></head><body><h1>Log in to ${name}</h1><form action="/login" method="post"><input name="email" placeholder="E-mail"><input name="password" type="password" placeholder="Password"><button>Log in</button></form></body></html>`

/** As people write it: the brand's name if that is distinctive, else its first distinctive word. */
const names = brands.flatMap(({ name, family, brandWords }) => {
  const brandTexts = brandWords.filter(word => word.in !== 'names' && isDistinctive(word)).map(({ text }) => text)
  const [first] = brandTexts
  if (family || first === undefined) return []
  return [
    brandTexts.includes(name.toLowerCase()) ? name : first.replace(/(^| )\p{L}/gu, letter => letter.toUpperCase()),
  ]
})

const checks = await openPageChecks()
const lines = ['| age | brands | at least suspicious % | malicious % | not found |', '|---|---|---|---|---|']
for (const [age, ageDays] of Object.entries(AGES)) {
  const misses: string[] = []
  let malicious = 0
  for (const name of names) {
    const { verdict } = await checks.check({ url: FOREIGN, html: logIn(name), age_days: ageDays })
    if (verdict === 'malicious') malicious += 1
    if (verdict === 'safe') misses.push(name)
  }
  const percent = (hits: number) => ((100 * hits) / names.length).toFixed(1)
  const shares = [percent(names.length - misses.length), percent(malicious)]
  lines.push(`| ${[age, names.length, ...shares, misses.slice(0, 12).join(', ')].join(' | ')} |`)
}
await checks.close()
process.stdout.write(`${lines.join('\n')}\n`)

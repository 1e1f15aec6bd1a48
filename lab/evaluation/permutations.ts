// What share of altered brand names is seen as a look-alike, and of honest names that hold a brand's word.
// Run: node --import tsx lab/evaluation/permutations.ts   (--list: also prints the names that are judged wrongly)
import { readFileSync } from 'node:fs'
import { domainToASCII, fileURLToPath } from 'node:url'
import { type BrandLookalike, judgeLookalike } from '../../plugins/reputation/lookalike/judge.ts'
import { brands } from '../../src/knowledge/brands/brands.ts'
import { indexOwners } from '../../src/knowledge/brands/owners.ts'
import { identify } from '../../src/targets/identity.ts'

/** Sixty much imitated words; `WORDS` are also words of a language or names of others. */
const DISTINCTIVE = `
  paypal google microsoft facebook instagram netflix whatsapp linkedin twitter tiktok telegram discord spotify dropbox adobe
  docusign github roblox coinbase binance metamask trezor opensea dhl fedex usps royalmail dpd evri wellsfargo bankofamerica
  citibank hsbc santander barclays bbva commerzbank postbank revolut klarna ebay aliexpress airbnb vodafone`
const WORDS =
  'apple amazon steam kraken ledger exodus hermes correos chase wise stripe booking uber tesla orange discover'
export const WORDS_OF_BRANDS: readonly string[] = `${DISTINCTIVE} ${WORDS}`.trim().split(/\s+/)

/** Phrases beside a brand, by language; `*` is the brand. Written without a look at the lures that the judgement knows. */
const PHRASES = {
  en: ['secure-*.com', '*support.com', '*-account-verify.net', '*-billing-problem.com'],
  de: ['*-konto-pruefung.de', 'sicherheit-*.com', '*anmeldung.net', '*-daten-bestaetigen.de'],
  fr: ['*-espace-client.fr', '*-mise-a-jour.com', 'connexion*.net', '*-mon-compte.fr'],
  es: ['*-verificar-cuenta.com', '*-acceso-seguro.es', 'cliente-*.com', '*-aviso-pago.com'],
  it: ['*-verifica-conto.it', '*-accesso-sicuro.com', '*-aggiornamento-dati.it', 'area-clienti-*.com'],
  pt: ['*-conta-bloqueada.com', '*-atualizar-cadastro.com', 'acesso*.com.br', '*-pagamento-pendente.com'],
  nl: ['*-rekening-controle.nl', '*inloggen.com', 'mijn-*.com', '*-gegevens-bevestigen.nl'],
  pl: ['*-potwierdz-konto.pl', '*logowanie.com', '*-doplata-paczka.pl', '*-bezpieczenstwo.com'],
} as const

const CYRILLIC: Readonly<Record<string, string>> = { a: 'а', e: 'е', o: 'о', p: 'р', c: 'с', i: 'і', x: 'х', y: 'у' }
const ACCENTED_LETTERS: Readonly<Record<string, string>> = {
  a: 'á',
  e: 'ė',
  o: 'ö',
  i: 'í',
  u: 'ü',
  c: 'ç',
  n: 'ñ',
  s: 'ş',
}
const DIGITS: Readonly<Record<string, string>> = { o: '0', l: '1', i: '1', e: '3', a: '4', s: '5', t: '7' }

/** Shorter words lose too much with a letter: `up` is no typo of `ups`. */
const LONG_ENOUGH = 5

/** The word with one letter written otherwise, at the first and at the last letter that can be. */
function spellings(word: string, letters: Readonly<Record<string, string>>): string[] {
  const places = [...word].flatMap((letter, at) => (letters[letter] === undefined ? [] : [at]))
  const chosenPlaces = new Set([places[0], places.at(-1)].filter(at => at !== undefined))
  return [...chosenPlaces].map(at => word.slice(0, at) + (letters[word.charAt(at)] ?? '') + word.slice(at + 1))
}

/** Two places inside the word, at a third and at two thirds. */
const inside = (word: string): number[] => [
  ...new Set([Math.floor(word.length / 3), Math.floor((2 * word.length) / 3)].map(at => Math.max(1, at))),
]

const swapAt = (word: string, at: number): string =>
  word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2)

/** Altered names of a brand's word, by kind. None of them is the brand's own, nor the unaltered word under `.com`. */
export function permutationsOf(word: string): Record<string, string[]> {
  const long = word.length >= LONG_ENOUGH ? inside(word) : []
  const com = (labels: readonly string[]) =>
    labels.filter(label => label !== word).map(label => domainToASCII(`${label}.com`))
  return {
    homograph: com([...spellings(word, CYRILLIC), ...spellings(word, ACCENTED_LETTERS)]),
    digit: com(spellings(word, DIGITS)),
    hyphen: com(long.map(at => `${word.slice(0, at)}-${word.slice(at)}`)),
    omission: com(long.map(at => word.slice(0, at) + word.slice(at + 1))),
    swap: com(long.map(at => swapAt(word, Math.min(at, word.length - 2)))),
    plural: com([`${word}s`]),
    'other ending': ['net', 'org', 'info', 'app'].map(ending => `${word}.${ending}`),
    ...Object.fromEntries(
      Object.entries(PHRASES).map(([language, phrases]) => [
        `lures, ${language}`,
        phrases.map(phrase => phrase.replace('*', word)),
      ]),
    ),
  }
}

export type Share = ReturnType<typeof measureHonest>

const judge = (name: string): BrandLookalike | null => judgeLookalike(name, identify(name).owner)
const ownersOf = indexOwners(brands)

/** By kind: how many of the altered names are seen as a look-alike of any brand. */
export function measurePermutations(words: readonly string[]): Record<string, Share> {
  const kinds = new Map<string, string[]>()
  for (const word of words) {
    for (const [kind, names] of Object.entries(permutationsOf(word))) {
      kinds.set(kind, [...(kinds.get(kind) ?? []), ...names.filter(name => ownersOf(name).length === 0)])
    }
  }
  return Object.fromEntries(
    [...kinds].map(([kind, names]) => {
      const wrong = names.filter(name => judge(name) === null)
      return [kind, { names: names.length, seen: names.length - wrong.length, wrong }]
    }),
  )
}

/** Of honest names, those that are seen as a look-alike. */
export function measureHonest(names: readonly string[]) {
  const wrong = names.filter(name => judge(name) !== null)
  return { names: names.length, seen: wrong.length, wrong }
}

export const honestNames = (): string[] =>
  readFileSync(new URL('names/honest.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter(line => !line.startsWith('#'))
    .flatMap(line => line.split(' '))
    .filter(name => name !== '')

/** The mean over kinds, so that no kind counts more for having more names. */
export const meanShare = (shares: readonly Share[]): number =>
  shares.reduce((sum, { seen, names }) => sum + seen / names, 0) / shares.length

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lists = process.argv.includes('--list')
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`
  const line = (kind: string, { names, seen, wrong }: Share) =>
    `| ${kind} | ${names} | ${percent(seen / names)} |${lists ? ` ${wrong.join(' ')} |` : ''}`
  const shares = measurePermutations(WORDS_OF_BRANDS)
  const lines = [
    `| kind | names | seen |${lists ? ' judged wrongly |' : ''}`,
    `|---|---|---|${lists ? '---|' : ''}`,
    ...Object.entries(shares).map(([kind, share]) => line(kind, share)),
    `| mean of all kinds |  | ${percent(meanShare(Object.values(shares)))} |`,
    line('honest', measureHonest(honestNames())),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

// What a page tells its visitors to do, in the languages of the lures. Alone, honest pages tell the same: it counts beside a
// brand's look, or where the pretext is one that no honest page has.
import { dataFile, expression, type Static, Type } from '../../src/engine/plugin.ts'
import data from './data/acts.json' with { type: 'json' }
import type { PageFacts } from './page_model/facts.ts'

const ActId = Type.Enum(['claim', 'verify', 'connect', 'pay', 'scan', 'code', 'update'])

export const ActsFile = dataFile({
  acts: Type.Array(
    Type.Object(
      {
        id: ActId,
        says: Type.String({ minLength: 1, description: 'Completes the sentence "The page tells its visitors to …".' }),
        in: Type.Record(Type.String({ pattern: '^[a-z]{2}$' }), expression(), {
          additionalProperties: false,
          description: 'By language (ISO 639-1), for text in lower case without accents.',
        }),
      },
      { additionalProperties: false },
    ),
    { minItems: 1 },
  ),
})

export type ActId = Static<typeof ActId>

interface Act {
  readonly id: ActId
  readonly says: string
  readonly patterns: readonly RegExp[]
}

/** Characters of text that are read. */
const TEXT = 8_192

/** Lower case without accents, one space between words. */
export const fold = (text: string): string =>
  text
    .slice(0, TEXT)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/\s+/g, ' ')

const acts: readonly Act[] = (data as Static<typeof ActsFile>).acts.map(({ id, says, in: languages }) => ({
  id,
  says,
  patterns: Object.values(languages).map(pattern => new RegExp(pattern, 'u')),
}))

/** Title, visible text and buttons. */
export const toldBy = ({ document, title, shown }: PageFacts): string =>
  fold([title, shown, ...(document.look?.buttons.slice(0, 16) ?? [])].join(' | '))

/** What a page tells its visitors to do. `told` as `toldBy` returns it. */
export const actsIn = (text: string): readonly Act[] =>
  acts.filter(({ patterns }) => patterns.some(pattern => pattern.test(text)))

const REPAIR =
  /\b(?:fix|solve|resolve|rectif\w{1,6}|validat\w{1,4}|synchroni[sz]\w{1,4}|revalidat\w{1,4}|restor\w{1,3}|recover\w{0,4}|unlock\w{0,3}|debug\w{0,4})\b[^.!?]{0,60}\b(?:wallets?|web3|dapps?|blockchain|staking|nfts?|tokens?)\b|(?:wallet|cuzdan|portefeuille|billetera|carteira|portfel|dompet|кошел)\p{L}{0,6}[^.!?]{0,40}(?:reparieren|validieren|synchronisieren|reparer|valider|synchroniser|reparar|validar|sincronizar|verificare|sincronizzare|naprawic|zweryfikowac|onar|dogrula|perbaiki|validasi|sinkron|исправ|синхрониз)/u

/** Wallets have no faults that a page could mend: whoever connects one for that gives it away. */
export const mendsWallets = (text: string, acts: readonly Act[]): boolean =>
  REPAIR.test(text) && acts.some(({ id }) => id === 'connect')

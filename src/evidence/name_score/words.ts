// Words in names that matter: those that lure, and those that are impersonated.
import { finish, start, step } from './hash.ts'

/** How names that are to steal secrets or money lure, in the languages most used for it; stems, so that each is counted once. */
const lures = `
  login logon signin sign-in account acount konto compte cuenta conta verif valida confirm secur safe support servic help
  updat upgrade unlock restore recover reset suspend limited alert notice billing payment pay invoice refund wallet bank
  online webmail office password auth token airdrop claim bonus gift free reward promo prize winner giveaway delivery
  tracking parcel package post customs connect portal access client customer user member session dapp swap staking mint
  restaura atualiza acesso seguro sicher kunden livraison suivi colis amende
`
  .trim()
  .split(/\s+/)

const lureHashes = new Set(lures.map(hashWord))
const shortestWord = 3
const longestWord = 14

export function hashWord(word: string): number {
  let hash = start
  for (let at = 0; at < word.length; at++) hash = step(hash, word.charCodeAt(at))
  return finish(hash)
}

export interface WordsFound {
  readonly lures: number
  /** Characters of the longest impersonated word, 0 when there is none. */
  readonly brand: number
}

/** Calls back with the hash and length of every run of characters that a word could be. */
export function eachWord(text: string, visit: (hash: number, length: number) => void): void {
  for (let from = 0; from + shortestWord <= text.length; from++) {
    const to = Math.min(text.length, from + longestWord)
    let hash = start
    for (let at = from; at < to; at++) {
      hash = step(hash, text.charCodeAt(at))
      if (at - from + 1 >= shortestWord) visit(finish(hash), at - from + 1)
    }
  }
}

/** Low bits of a hash: most runs of characters are no word, and are told so without asking a set. */
const sieveBits = 16
const sieveMask = 2 ** sieveBits - 1

/** `brands`: hashes of `hashWord`. */
export function createWordFinder(brands: ReadonlySet<number>): (text: string) => WordsFound {
  const sieve = new Uint8Array(2 ** sieveBits)
  for (const words of [lureHashes, brands]) for (const hash of words) sieve[hash & sieveMask] = 1
  return text => {
    let found = 0
    let brand = 0
    eachWord(text, (hash, length) => {
      if (sieve[hash & sieveMask] === 0) return
      if (lureHashes.has(hash)) found++
      if (length > brand && brands.has(hash)) brand = length
    })
    return { lures: found, brand }
  }
}

const digitLetters: Readonly<Record<string, string>> = { '0': 'o', '1': 'l', '3': 'e', '4': 'a', '5': 's', '7': 't' }

/** Digits that stand for letters, read as those. */
export const withoutDigits = (text: string): string => text.replace(/[013457]/g, digit => digitLetters[digit] ?? digit)

export const isLure = (hash: number): boolean => lureHashes.has(hash)

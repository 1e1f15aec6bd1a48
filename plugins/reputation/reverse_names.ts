// What reverse DNS says of an address: a consumer line, a Tor exit, or names that resolve back to it.
import { dataFile, type Evidence, identify, TextList } from '../../src/engine/plugin.ts'
import data from './data/reverse_words.json' with { type: 'json' }

type ReverseNames = Evidence['reverse_names']

/** `access`: a consumer or office line from a pool. `tor_exit`: the name says that it is a Tor exit. */
export type AddressKind = 'access' | 'tor_exit'

export const ReverseWordsFile = dataFile({ access: TextList, served: TextList })
const ACCESS: ReadonlySet<string> = new Set(data.access)
/** Words that identify static addresses and rented servers; they override the words above. */
const SERVER_WORDS: ReadonlySet<string> = new Set(data.served)

/** `93-184-216-34`, `34.216.184.93`, `093184216034` or `5db8d822` in the name: it was generated from the address. */
function holdsAddress(name: string, ip: string): boolean {
  const octets = ip.split('.').map(Number)
  if (octets.length !== 4) return false
  const hex = octets.map(octet => octet.toString(16).padStart(2, '0')).join('')
  const paddedOctets = octets.map(octet => String(octet).padStart(3, '0')).join('')
  const numbers = name
    .split(/[^0-9]+/)
    .filter(part => part !== '')
    .map(Number)
    .join('.')
  const [a, b, c, d] = octets
  const orders = [`${a}.${b}.${c}.${d}`, `${d}.${c}.${b}.${a}`]
  return (
    name.includes(hex) || name.includes(paddedOctets) || orders.some(order => `.${numbers}.`.includes(`.${order}.`))
  )
}

function kindOfName(name: string, ip: string): AddressKind | null {
  const parts = name.split(/[^a-z]+/)
  if (parts.includes('torexit') || (parts.includes('tor') && parts.some(part => part.startsWith('exit'))))
    return 'tor_exit'
  if (!holdsAddress(name, ip) || parts.some(part => SERVER_WORDS.has(part))) return null
  return parts.some(part => ACCESS.has(part)) ? 'access' : null
}

/** The kind by all names that are not disproved; null if unknown. */
export function addressKind({ ip, names }: ReverseNames): AddressKind | null {
  const believedNames = names.filter(({ confirmed }) => confirmed !== false)
  const kinds = believedNames.map(({ name }) => kindOfName(name, ip))
  return kinds.find(kind => kind === 'tor_exit') ?? kinds.find(kind => kind !== null) ?? null
}

/** The names that resolve back to the address, each with its owner's name. */
export const confirmedNames = ({ names }: ReverseNames): readonly { name: string; registrable: string }[] =>
  names.flatMap(({ name, confirmed }) => (confirmed ? [{ name, registrable: identify(name).owner }] : []))

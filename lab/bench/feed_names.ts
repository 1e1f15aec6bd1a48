// Names for measured feeds: all different, with typical lengths and depths.

const words = ['secure', 'login', 'update', 'cdn', 'mail', 'shop', 'account', 'verify', 'files', 'news', 'pay', 'app']
const suffixes = ['com', 'net', 'xyz', 'top', 'de', 'co.uk', 'com.br', 'info']

/** Every third name is a subdomain. */
export function listedName(index: number): string {
  const word = words[index % words.length] ?? ''
  const domain = `${word}-${((index * 2_654_435_761) >>> 0).toString(36)}${index.toString(36)}`
  const suffix = suffixes[index % suffixes.length] ?? ''
  return index % 3 === 0 ? `${words[(index >> 3) % words.length]}.${domain}.${suffix}` : `${domain}.${suffix}`
}

/** A name to look up, two labels below, so that every parent is looked up; with its registrable domain. */
export function askedName(index: number, listed: boolean): { name: string; registrable: string } {
  const own = listed ? listedName(index) : `x${listedName(index)}`
  const at = own.split('.').length - (/\.(?:co\.uk|com\.br)$/.test(own) ? 3 : 2)
  return { name: `www.a${index % 9}.${own}`, registrable: own.split('.').slice(at).join('.') }
}

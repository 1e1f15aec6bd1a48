// Text as octets of a legacy encoding: the decoder's table turned around, for one octet and for two.

const decoded = (decoder: InstanceType<typeof TextDecoder>, octets: readonly number[]): string | null => {
  try {
    return decoder.decode(Uint8Array.from(octets))
  } catch {
    return null
  }
}

function tableOf(label: string): Map<string, readonly number[]> {
  const decoder = new TextDecoder(label, { fatal: true })
  const table = new Map<string, readonly number[]>()
  const add = (octets: readonly number[]) => {
    const text = decoded(decoder, octets)
    if (text !== null && [...text].length === 1 && !table.has(text)) table.set(text, octets)
  }
  for (let octet = 0; octet < 256; octet += 1) add([octet])
  for (let lead = 0x81; lead < 0xff; lead += 1) {
    for (let trail = 0x40; trail < 0xff; trail += 1) add([lead, trail])
  }
  return table
}

/** Throws for a character that the encoding has not. */
export function encode(label: string, text: string): Buffer {
  const table = tableOf(label)
  return Buffer.from(
    [...text].flatMap(character => {
      const octets = table.get(character)
      if (octets === undefined) throw new Error(`${label} has no ${character}`)
      return octets
    }),
  )
}

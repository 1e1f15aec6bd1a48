// Reads a list from its file into memory, slice by slice.
import { StringDecoder } from 'node:string_decoder'
import type { Dataset, ListFormat } from './dataset.ts'
import { type Breathe, createBreath } from './feed/breath.ts'
import { readSubject, type Subject } from './feed/subject.ts'
import { lineReaders } from './format/line_readers.ts'
import { splitLines } from './format/lines.ts'
import { openPlain } from './plain_stream.ts'
import { UnusableDataset } from './unusable.ts'

interface Builder<Index> {
  add(subject: Subject): void
  build(breathe: Breathe): Promise<Index>
}

/** Part of the values that may be unreadable before the file is taken for something else, such as an error page. */
const UNREADABLE = 0.5
/** Lines between looks at the clock. */
const STRIDE = 256

/** Rejects with `UnusableDataset` when the file is not what it should be. */
export async function readList<Index>(path: string, dataset: Dataset, builder: Builder<Index>): Promise<Index> {
  const stream = await openPlain(path, dataset.max_bytes)
  const breathe = createBreath()
  const read = subjectReader(dataset)
  const count = { taken: 0, refused: 0 }
  const lines = splitLines()
  const decoder = new StringDecoder('utf8')
  const take = async (some: readonly (string | null)[]) => {
    for (let n = 0; n < some.length; n++) {
      takeLine(some[n] ?? null, read, builder, count)
      if (n % STRIDE === 0) await breathe()
    }
  }
  for await (const chunk of stream) await take(lines.push(decoder.write(chunk)))
  await take(lines.push(decoder.end()))
  await take(lines.end())
  if (count.taken === 0)
    throw new UnusableDataset(`${path}: lists nothing`, count.refused > 0 ? 'wrong_format' : 'empty')
  if (count.refused / (count.taken + count.refused) > UNREADABLE) {
    throw new UnusableDataset(`${path}: is not of the format ${dataset.format}`, 'wrong_format')
  }
  return builder.build(breathe)
}

type SubjectReader = (line: string) => readonly (Subject | null)[] | null

/** What a line lists; null for what the list cannot be asked about: it would be known, and never be found. */
function subjectReader(dataset: Dataset): SubjectReader {
  const read = lineReaders[dataset.format as ListFormat](dataset)
  const other = { names: 'prefixes', addresses: 'name', both: null }[dataset.about]
  const subjectOf = (value: string) => {
    const subject = readSubject(value)
    return subject === null || (other !== null && other in subject) ? null : subject
  }
  return line => read(line)?.map(subjectOf) ?? null
}

function takeLine(
  line: string | null,
  read: SubjectReader,
  builder: Pick<Builder<unknown>, 'add'>,
  count: { taken: number; refused: number },
): void {
  const subjects = line === null ? null : read(line)
  if (subjects === null) {
    count.refused++
    return
  }
  for (const subject of subjects) {
    if (subject === null) count.refused++
    else {
      count.taken++
      builder.add(subject)
    }
  }
}

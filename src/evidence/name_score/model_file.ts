// The model file: a JSON head that describes the arrays, and the arrays, all compressed with Brotli. The build expands it
// to the same as it is in memory, so that a start only reads it.
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { MAX_SCORE, suffixClasses } from './facts.ts'
import { featureNames } from './features.ts'
import { aims, type Regression, type Regressions } from './logits.ts'
import { letterTableSize } from './text_facts.ts'

/** Boosted decision trees. Nodes of all trees one after the other; the root of each is in `roots`. Odds are log-odds. */
export interface Forest {
  readonly roots: Uint32Array
  /** The feature that a node compares. */
  readonly features: Uint8Array
  /** Values up to this go left. */
  readonly splits: Float32Array
  /** The left child; the right one follows it. 0 at a leaf. */
  readonly lefts: Uint32Array
  /** The expected log-odds at the node; at a leaf, the tree's output. */
  readonly odds: Float32Array
}

/** Everything that training yields. */
export interface NameModelData extends Regressions {
  readonly letters: Uint8Array
  readonly brands: Uint32Array
  readonly forest: Forest
  /** As `scoreOf` takes them. */
  readonly thresholds: Float32Array
  /** The same by benign names of each of `suffixClasses`, one class after the other. */
  readonly classThresholds: Float32Array
  /** Slope and intercept from the trees' log-odds to those of a balanced set (Platt). */
  readonly balance: Float32Array
}

/** The file is not a model of this version. */
export class UnusableModel extends Error {
  override readonly name = 'UnusableModel'
}

const FORMAT = 'assay name model 2'
/** The head of an expanded file begins with this, after its length. */
const EXPANDED_HEAD = '{"expanded":true,'
/** Maximum octets after decompression: five times the size of a model. */
const MAX_MODEL_BYTES = 96 * 1024 * 1024
/**
 * Octets that are decompressed in one piece, as the shipped model is. Joining pieces would take three times its size,
 * most of which the allocator does not return.
 */
const PIECE_BYTES = 8 * 1024 * 1024

const arrayTypes = { Int8Array, Uint8Array, Uint32Array, Float32Array }
type ArrayType = keyof typeof arrayTypes
type AnyArray = Int8Array | Uint8Array | Uint32Array | Float32Array

interface Head {
  /** Whether the weights are laid out as in memory. */
  readonly expanded?: true
  readonly format: string
  /** Bucket counts of both regressions. */
  readonly bits: { readonly whole: number; readonly kinds: number }
  /** Feature names as in the code: a model for other features is rejected. */
  readonly features: readonly string[]
  readonly arrays: readonly (readonly [name: string, type: ArrayType, length: number])[]
}

const HEAD_LENGTH_BYTES = 4
/** Arrays in an expanded file begin at a multiple of this, so that they are used where they are. */
const ALIGNMENT = 4

const kindCount = aims.length - 1

function arraysOf({ whole, kinds, forest, ...arrays }: NameModelData): [string, AnyArray][] {
  return Object.entries({
    wholeWeights: whole.weights,
    wholeSteps: whole.steps,
    kindWeights: transpose(kinds.weights, kindCount),
    kindSteps: kinds.steps,
    ...arrays,
    ...forest,
  })
}

const typeOf = (array: AnyArray): ArrayType => {
  if (array instanceof Int8Array) return 'Int8Array'
  if (array instanceof Uint8Array) return 'Uint8Array'
  return array instanceof Uint32Array ? 'Uint32Array' : 'Float32Array'
}

const octetsOf = (array: AnyArray) => Buffer.from(array.buffer, array.byteOffset, array.byteLength)

/**
 * Transposes between rows in memory and columns on disk. In memory the weights of a bucket are adjacent, for one cache
 * miss instead of four; on disk those of an objective are, which compresses better.
 */
function transpose(values: Int8Array, width: number): Int8Array {
  const columns = new Int8Array(values.length)
  const height = values.length / width
  for (let column = 0, to = 0; column < width; column++) {
    for (let row = 0; row < height; row++) columns[to++] = values[row * width + column] ?? 0
  }
  return columns
}

function inPlace(values: Int8Array, width: number): Int8Array {
  values.set(transpose(values, width))
  return values
}

const headOf = (data: NameModelData, arrays: readonly (readonly [string, AnyArray])[]): Head => ({
  format: FORMAT,
  bits: { whole: data.whole.bits, kinds: data.kinds.bits },
  features: featureNames,
  arrays: arrays.map(([name, array]) => [name, typeOf(array), array.length]),
})

export function encodeModel(data: NameModelData): Buffer {
  const arrays = arraysOf(data)
  const text = Buffer.from(JSON.stringify(headOf(data, arrays)))
  const length = Buffer.alloc(HEAD_LENGTH_BYTES)
  length.writeUInt32LE(text.length)
  return brotliCompressSync(Buffer.concat([length, text, ...arrays.map(([, array]) => octetsOf(array))]), {
    params: { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS },
  })
}

/** The file without compression, laid out as in memory. Throws `UnusableModel`. */
export function expandModel(file: Buffer): Buffer {
  const data = decodeModel(file)
  const arrays = Object.entries({ ...Object.fromEntries(arraysOf(data)), kindWeights: data.kinds.weights })
  const headText = JSON.stringify(headOf(data, arrays)).slice(1)
  const text = EXPANDED_HEAD + headText
  const paddedText = text.padEnd(text.length + ALIGNMENT - 1 - ((HEAD_LENGTH_BYTES + text.length - 1) % ALIGNMENT))
  const length = Buffer.alloc(HEAD_LENGTH_BYTES)
  length.writeUInt32LE(paddedText.length)
  return Buffer.concat([length, Buffer.from(paddedText), ...arrays.map(([, array]) => octetsOf(array))])
}

const isExpanded = (file: Buffer): boolean =>
  file.toString('latin1', HEAD_LENGTH_BYTES, HEAD_LENGTH_BYTES + EXPANDED_HEAD.length) === EXPANDED_HEAD

/** Reads both forms of the file. An expanded file is not copied. Throws `UnusableModel`. */
export function decodeModel(file: Buffer): NameModelData {
  try {
    return readModel(
      isExpanded(file)
        ? (file as Buffer<ArrayBuffer>)
        : brotliDecompressSync(file, { maxOutputLength: MAX_MODEL_BYTES, chunkSize: PIECE_BYTES }),
    )
  } catch (error) {
    throw error instanceof UnusableModel ? error : new UnusableModel('is damaged')
  }
}

function readModel(octets: Buffer<ArrayBuffer>): NameModelData {
  const headEnd = HEAD_LENGTH_BYTES + octets.readUInt32LE(0)
  const head = JSON.parse(octets.subarray(HEAD_LENGTH_BYTES, headEnd).toString()) as Head
  if (head.format !== FORMAT) throw new UnusableModel('has another format')
  if (head.features.join() !== featureNames.join()) throw new UnusableModel('was trained on other features')
  const arrays = new Map<string, AnyArray>()
  let at = headEnd
  for (const [name, type, length] of head.arrays) {
    const size = length * arrayTypes[type].BYTES_PER_ELEMENT
    if (at + size > octets.length) throw new UnusableModel('is cut short')
    arrays.set(name, viewOf(octets.subarray(at, at + size), arrayTypes[type]))
    at += size
  }
  return modelOf(head, arrays)
}

/** The octets as an array, copied only if they are not aligned in the file: the large arrays have single octets. */
function viewOf(
  { buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>,
  type: (typeof arrayTypes)[ArrayType],
): AnyArray {
  const length = byteLength / type.BYTES_PER_ELEMENT
  const isAligned = byteOffset % type.BYTES_PER_ELEMENT === 0
  return isAligned ? new type(buffer, byteOffset, length) : new type(buffer.slice(byteOffset, byteOffset + byteLength))
}

function modelOf({ bits, expanded }: Head, arrays: ReadonlyMap<string, AnyArray>): NameModelData {
  const take = <T extends AnyArray>(name: string, type: abstract new (...never: never[]) => T, length?: number): T => {
    const array = arrays.get(name)
    if (!(array instanceof type) || (length !== undefined && array.length !== length))
      throw new UnusableModel(`has no proper ${name}`)
    return array
  }
  const forest = {
    roots: take('roots', Uint32Array),
    features: take('features', Uint8Array),
    splits: take('splits', Float32Array),
    lefts: take('lefts', Uint32Array),
    odds: take('odds', Float32Array),
  }
  const whole: Regression = {
    bits: bits.whole,
    weights: take('wholeWeights', Int8Array, 2 ** bits.whole),
    steps: take('wholeSteps', Float32Array, 1),
  }
  const kindWeights = take('kindWeights', Int8Array, kindCount * 2 ** bits.kinds)
  const kinds: Regression = {
    bits: bits.kinds,
    weights: expanded ? kindWeights : inPlace(kindWeights, 2 ** bits.kinds),
    steps: take('kindSteps', Float32Array, kindCount),
  }
  return {
    whole,
    kinds,
    letters: take('letters', Uint8Array, letterTableSize),
    brands: take('brands', Uint32Array),
    forest,
    thresholds: take('thresholds', Float32Array, MAX_SCORE),
    classThresholds: take('classThresholds', Float32Array, MAX_SCORE * suffixClasses.length),
    balance: take('balance', Float32Array, 2),
  }
}

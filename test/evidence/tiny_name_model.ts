// A model that minds one thing: whether the label is longer than 12 characters.
import { featureNames } from '../../src/evidence/name_score/features.ts'
import type { NameModelData } from '../../src/evidence/name_score/model_file.ts'
import { letterTableSize } from '../../src/evidence/name_score/text_facts.ts'

const bits = 8

export const tinyModel: NameModelData = {
  whole: { bits, weights: new Int8Array(2 ** bits), steps: Float32Array.of(1) },
  kinds: {
    bits,
    weights: Int8Array.from({ length: 3 * 2 ** bits }, (_, at) => at % 3),
    steps: Float32Array.of(1, 1, 1),
  },
  letters: new Uint8Array(letterTableSize),
  brands: new Uint32Array(),
  forest: {
    roots: Uint32Array.of(0),
    features: Uint8Array.of(featureNames.indexOf('label length'), 0, 0),
    splits: Float32Array.of(12, 0, 0),
    lefts: Uint32Array.of(1, 0, 0),
    odds: Float32Array.of(0, -1, 1),
  },
  thresholds: Float32Array.from({ length: 100 }, (_, index) => (index < 20 ? -1 : index < 80 ? 1 : 2)),
  classThresholds: Float32Array.from({ length: 300 }, (_, index) => (index % 100 < 10 ? -1 : index % 100 < 50 ? 1 : 2)),
  balance: Float32Array.of(1, 0),
}

// The model that is shipped: read once, when first asked for.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../package_root.ts'
import { decodeModel } from './model_file.ts'
import { createNameModel, type NameModel } from './name_model.ts'

/** From the package's root, for the build copies no binary files. */
export const shippedModelPath = join(packageRoot, 'src/evidence/name_score/weights.bin')

let model: NameModel | undefined

/** Throws `UnusableModel`, or the reason that the file cannot be read. */
export function shippedNameModel(): NameModel {
  model ??= createNameModel(decodeModel(readFileSync(shippedModelPath)))
  return model
}

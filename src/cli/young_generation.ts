// The size of V8's young generation, where new objects are.
import { setFlagsFromString } from 'node:v8'

/**
 * Keeps it as small as it begins. Loading code doubles it again and again up to 32 MiB, which an idle service would keep.
 * Call it before the code is loaded.
 */
export const keepYoungGenerationSmall = (): void => setFlagsFromString('--semi-space-growth-factor=1')

/** Lets it grow with the load, as V8 does by default: a small one costs CPU. */
export const letYoungGenerationGrow = (): void => setFlagsFromString('--semi-space-growth-factor=2')

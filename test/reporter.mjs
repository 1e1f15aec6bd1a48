// The gate of this suite for `node --test --test-reporter`. Node's runner loads its reporters before tsx.
import { register } from 'tsx/esm/api'

register()

export default (await import('./suite_gate.ts')).default

// Runtimes and low-level libraries.
import { header, headerWith, technologies } from '../patterns.ts'

export const runtime = technologies('runtime', [
  ['Deno', [header('server', 'deno/', { version: '' })]],
  ['Mono', [headerWith('server', 'Mono/', { version: '' })]],
  ['Node.js', [headerWith('x-powered-by', 'Node.js')]],
  ['OpenSSL', [headerWith('server', 'OpenSSL/', { version: '' })]],
])

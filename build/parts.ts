// Dependencies that the build replaces by the part of them that runs, and those parts. `test/build/parts.test.ts` compares them.
import type { Plugin } from 'esbuild'
import { packageRoot } from '../src/package_root.ts'

/** Dependencies of which we use a part, and that part: their own code does much more at every start. */
const PARTS: Readonly<Record<string, string>> = {
  undici: `
    import Client from 'undici/lib/dispatcher/client.js'
    import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
    import errors from 'undici/lib/core/errors.js'
    import api from 'undici/lib/api/index.js'
    Object.assign(Dispatcher.prototype, api)
    export { Client, errors }`,
  'rate-limiter-flexible': `
    import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
    export { RateLimiterMemory }`,
  // Its own index compiles one regular expression of all letters, of which each is one character.
  unhomoglyph: `
    import letters from 'unhomoglyph/data.json'
    export default text => Array.from(text, letter => letters[letter] ?? letter).join('')`,
  // Nobody reads its warnings, and it asks V8 for the line of each caller, for which V8 reads the whole script.
  depd: `
    const deprecate = () => {}
    deprecate.function = called => called
    deprecate.property = () => {}
    module.exports = () => deprecate`,
  // Finds the C library by a report about the whole process, which it makes for each of the two halves of libsql.
  '@neon-rs/load': `
    import { familySync, MUSL } from 'detect-libc'
    import { currentTarget as reported, load } from '@neon-rs/load/dist/index.js'
    const { arch, platform } = process
    const libc = () => (familySync() === MUSL ? 'musl' : 'gnu')
    const isLinux = platform === 'linux' && (arch === 'x64' || arch === 'arm64')
    export const currentTarget = () => (isLinux ? \`linux-\${arch}-\${libc()}\` : reported())
    export { load }`,
}

export const partsOfDependencies: Plugin = {
  name: 'parts of dependencies',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^(?:@[\w-]+\/)?[\w-]+$/ }, ({ path }) =>
      path in PARTS ? { path, namespace: 'part' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'part' }, ({ path }) => ({
      contents: PARTS[path] ?? '',
      resolveDir: packageRoot,
    }))
  },
}

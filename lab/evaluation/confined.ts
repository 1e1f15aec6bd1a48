// A browser for third-party pages: an unprivileged user, a network namespace without interfaces, a profile that is thrown away. Pages
// and what their scripts ask for are given to it by the pipe of its protocol.
import { join } from 'node:path'
import { createRenderer, type Renderer } from '../../src/evidence/rendered/renderer.ts'

const CHROMIUM = join(import.meta.dirname, 'confined_chromium.sh')

export function confinedRenderer(): Renderer {
  return createRenderer({
    browser: CHROMIUM,
    sandbox: true,
    heap_mb: 256,
    when: 'needed',
    at_once: 1,
    limit_ms: 30_000,
    open() {
      throw new Error('given pages need no network')
    },
  })
}

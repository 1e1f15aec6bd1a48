// The evidence that ssl_info reads, by short names.
import type { Evidence } from '../../src/engine/plugin.ts'

export type Tls = Evidence['tls']
export type Certificate = Tls['chain'][number]

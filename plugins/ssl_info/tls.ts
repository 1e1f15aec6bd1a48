// Short names for the types of the TLS evidence.
import type { Evidence } from '../../src/engine/plugin.ts'

export type Tls = Evidence['tls']
export type Certificate = Tls['chain'][number]

// Shared by engine tests: an engine with fixed evidence and no network.
import type { LoadedPlugin } from '../../src/engine/contract.ts'
import { createEngine, type EngineOptions } from '../../src/engine/engine.ts'
import type { EvidenceName, Extension, Plugin } from '../../src/engine/plugin.ts'
import { createRegistry, type Settings } from '../../src/engine/registry.ts'
import { DEFAULT_GROUPS } from '../../src/engine/scoring/groups.ts'
import type { CheckNetwork } from '../../src/network/network.ts'
import type { Target } from '../../src/targets/target.ts'
import { LONG_MS } from '../patience.ts'

export const EXAMPLE: Target = {
  kind: 'domain',
  domain: 'example.com',
  ip: null,
  registrable: 'example.com',
  registered: 'example.com',
  url: null,
  visit: true,
}

export const ADDRESSES = {
  status: 'found',
  answers: [{ address: '93.184.216.34', family: 4, refused: null }],
  dialable: [{ address: '93.184.216.34', family: 4, refused: null }],
  cnames: [],
  ttl: 300,
  authenticated: false,
}

/** Gatherers that return the given value for each kind, or call the given function. */
export const fixedEvidence = (evidence: Record<string, unknown>): Extension => ({
  name: 'fixed_evidence',
  description: 'Evidence for tests.',
  provides: Object.keys(evidence) as EvidenceName[],
  apply(hooks) {
    for (const [name, value] of Object.entries(evidence)) {
      hooks.gather.for(name).tapPromise('fixed_evidence', async () => (typeof value === 'function' ? value() : value))
    }
  },
})

export const settings = (plugins: Settings['plugins'] = {}): Settings => ({ plugins, groups: DEFAULT_GROUPS })

const loaded = (plugins: readonly unknown[], origin: string): LoadedPlugin[] =>
  plugins.map(plugin => ({ plugin: plugin as Plugin, origin }))

/** The registry of third-party plugins with fixed evidence; returns errors. */
export const registryOf = (
  plugins: readonly unknown[],
  given: Settings = settings(),
  evidence: Record<string, unknown> = {},
) =>
  createRegistry(
    [...loaded([fixedEvidence({ addresses: ADDRESSES, ...evidence })], 'built-in'), ...loaded(plugins, './test')],
    given,
  )

export function engineOf(
  plugins: readonly unknown[],
  options: { settings?: Settings; evidence?: Record<string, unknown> } & Partial<EngineOptions> = {},
) {
  const { registry, faults } = registryOf(plugins, options.settings, options.evidence)
  if (faults.length > 0) throw new Error(JSON.stringify(faults))
  return createEngine({
    registry,
    open: () => ({}) as CheckNetwork,
    deadline_ms: LONG_MS,
    policy: 'test',
    clock: { now: () => Date.parse('2026-11-20T12:00:00Z'), monotonic: () => 0 },
    ...options,
  })
}

/** A minimal valid analyzer with some parts replaced. */
export const analyzerNamed = (name: string, parts: Record<string, unknown> = {}) => ({
  name,
  description: 'For tests.',
  targets: ['domain', 'ip'],
  needs: [],
  schema: {
    type: 'object',
    properties: { ok: { type: 'boolean' } },
    required: ['ok'],
    additionalProperties: false,
  },
  signals: {},
  analyze: () => ({ section: { ok: true }, signals: [] }),
  ...parts,
})

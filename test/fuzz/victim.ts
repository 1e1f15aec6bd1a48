// The service that generated requests are sent to: the real one, a process of its own, in a world where every name is unknown.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLabDns } from '../../src/testing/lab_dns.ts'
import { startLabWeb } from '../../src/testing/lab_web.ts'
import { openLoopbackStage } from '../faults/loopback_stage.ts'
import { type FaultService, startFaultService } from '../faults/service.ts'
import { openKeysIn } from '../store/opened.ts'
import type { Victim } from './requests.ts'

export interface RunningVictim extends Victim {
  readonly service: FaultService
  /** Lines of its log that tell of an error. */
  errors(): readonly string[]
  close(): Promise<void>
}

/** A limit that nothing reaches: what is to be found lies behind it. */
const UNLIMITED = 1_000_000

/** Proves the way out: of all other addresses none answers. */
const CONTROL = {
  host: 'control.lab',
  addresses: ['93.184.0.10', '2a10:3781::10'] as const,
  http: () => ({ body: '' }),
}

export async function startVictim(): Promise<RunningVictim> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-fuzz-'))
  const dns = await startLabDns({
    zones: { [CONTROL.host]: { A: [CONTROL.addresses[0]], AAAA: [CONTROL.addresses[1]] } },
  })
  const web = await startLabWeb([CONTROL])
  const config = join(directory, 'config.json')
  const data = join(directory, 'data')
  const settings = {
    server: { port: 0, failed_keys_per_minute: UNLIMITED },
    data,
    log: { level: 'error' },
    network: { resolvers: [dns.address], egress_controls: [`${CONTROL.host}:80`] },
    downloads: { enabled: false },
    plans: { startup: { quota: 1_000_000_000, period: 'month' } },
  }
  writeFileSync(config, JSON.stringify(settings))
  const service = await startFaultService({ stage: openLoopbackStage(() => 0), config, roots: '', places: web.places })
  const keys = await openKeysIn(data)
  const { text: key } = await keys.keys.create({ plan: 'startup', label: 'fuzz' })
  await keys.close()
  return {
    port: service.port,
    key,
    service,
    errors: () => service.log(0).filter(line => line.includes('"level":"error"')),
    async close() {
      await service.close()
      await web.close()
      await dns.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

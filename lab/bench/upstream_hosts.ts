// The third parties that every check asks in the default configuration: blocklists, registry and directory.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { outside } from '../../src/testing/demo/outside.ts'
import type { LabHost } from '../../src/testing/lab_internet.ts'

/** Days; old enough for any judgement. */
const AGE = 3_000

export const registryAddress = '193.0.14.91'
export const directoryAddress = '193.0.14.90'

export const upstreamHosts: readonly LabHost[] = outside({
  listed: [],
  green: [],
  ageOf: () => AGE,
  networkOf: () => null,
})

/** IANA's file of registries (RFC 9224), with the lab's for the suffix of the shops. */
export function writeBootstrap(directory: string): string {
  const path = join(directory, 'rdap_bootstrap.json')
  writeFileSync(path, JSON.stringify({ version: '1.0', services: [[['uk', 'lab'], ['https://registry.lab/']]] }))
  return path
}

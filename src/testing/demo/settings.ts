// The configuration of the demo: everything that a check asks is in the lab.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LabInternet } from '../lab_internet.ts'
import { writeMmdb } from '../lab_mmdb.ts'
import { feedSettings } from './feed.ts'
import { demoPlaces } from './hosts.ts'
import { GREENCHECK, writeBootstraps } from './outside.ts'

/** `directory` is where its datasets are written. */
export function demoSettings({ dns }: LabInternet, directory: string) {
  const places = join(directory, 'places.mmdb')
  writeFileSync(places, writeMmdb(demoPlaces))
  return {
    network: { resolvers: [dns.address] },
    datasets: { ...feedSettings, city: places, asn: places, ...writeBootstraps(directory) },
    green_hosting: { endpoint: GREENCHECK },
  }
}

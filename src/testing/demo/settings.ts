// The configuration of the demo and its threat feeds: everything that a check asks is in the lab.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { knownDatasets } from '../../knowledge/datasets/known_datasets.ts'
import type { LabHost, LabInternet } from '../lab_internet.ts'
import { writeMmdb } from '../lab_mmdb.ts'
import { demoPlaces } from './hosts.ts'
import { listedPages } from './links.ts'
import { GREENCHECK, writeBootstraps } from './outside.ts'

/** Of the cities of the demo, for the map. */
const coordinates: Readonly<Record<string, { readonly latitude: number; readonly longitude: number }>> = {
  Amsterdam: { latitude: 52.37, longitude: 4.9 },
  Victoria: { latitude: -4.62, longitude: 55.45 },
}

type DemoPlace = (typeof demoPlaces)[keyof typeof demoPlaces]

const withLocation = ([network, place]: [string, DemoPlace]) => {
  const location = coordinates[place.city.names.en]
  return [network, { ...place, ...(location && { location }) }] as const
}

/** `directory` is where its datasets are written. */
export function demoSettings({ dns }: LabInternet, directory: string) {
  const places = join(directory, 'places.mmdb')
  writeFileSync(places, writeMmdb(Object.fromEntries(Object.entries(demoPlaces).map(withLocation))))
  return {
    // The demo's tarpit need not be waited for as long as a real mail server.
    network: { resolvers: [dns.address], limits: { smtp_ms: 2_000 } },
    datasets: { ...feedSettings, city: places, asn: places, ...writeBootstraps(directory) },
    green_hosting: { endpoint: GREENCHECK },
    plugins: { tls_offer: true, mail_servers: true },
    check: { test_targets: 'assay.test' },
    watch: { least_minutes: 1 },
    lookalikes: { names: 5_000, per_second: 1_000, watch_hours: 0 },
  }
}

export const feedHost: LabHost = {
  name: 'feeds.lab',
  addresses: ['193.0.14.80'],
  https: ({ url }) => ({
    headers: [
      ['Content-Type', 'text/plain'],
      ['ETag', `"demo ${url}"`],
    ],
    body: `# Phishing in the demo\n${(url === PAGES ? listedPages : listedNames).join('\n')}\n`,
  }),
}

const listedNames = ['secure-paypal-login.lab', 'listed-behind-silent-name-servers.lab']
const PAGES = '/pages.txt'

/** Serves the MTA-STS policy of a domain whose mail server does not meet it. */
export const policyHost: LabHost = {
  name: 'mta-sts.strict-mail.lab',
  addresses: ['193.0.14.65'],
  https: () => ({
    headers: [['Content-Type', 'text/plain']],
    body: 'version: STSv1\r\nmode: enforce\r\nmx: mail.strict-mail.lab\r\nmax_age: 604800\r\n',
  }),
}

/** Enables the demo's feeds only, because the others need the internet. */
export const feedSettings = {
  ...Object.fromEntries(knownDatasets.map(({ id }) => [id, false])),
  demo_phishing: {
    name: 'Demo phishing feed',
    use: 'feed',
    url: 'https://feeds.lab/phishing.txt',
    category: 'phishing',
    strength: 'strong',
    terms: 'part of the demo',
  },
  demo_pages: {
    name: 'Demo feed of pages',
    use: 'feed',
    url: `https://feeds.lab${PAGES}`,
    format: 'urls',
    about: 'names',
    category: 'phishing',
    strength: 'strong',
    terms: 'part of the demo',
  },
}

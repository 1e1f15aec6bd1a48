// The demo's threat feed: downloaded, verified and cached like any other, from a publisher in the lab.
import { knownDatasets } from '../../datasets/known_datasets.ts'
import type { LabHost } from '../lab_internet.ts'

export const feedHost: LabHost = {
  name: 'feeds.lab',
  addresses: ['193.0.14.80'],
  https: () => ({
    headers: [
      ['Content-Type', 'text/plain'],
      ['ETag', '"demo"'],
    ],
    body: '# Phishing in the demo\nsecure-paypal-login.lab\nlisted-behind-silent-name-servers.lab\n',
  }),
}

/** Enables the demo's feed only, because the others need the internet. */
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
}

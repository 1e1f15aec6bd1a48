// Internet noise, as the Community API of GreyNoise answers.
import { readNoise } from '../../plugins/internet_noise/index.ts'
import { describeSource } from './third_party.ts'

const noise = {
  ip: '193.0.14.10',
  noise: true,
  riot: false,
  classification: 'malicious',
  name: 'unknown',
  link: 'https://viz.greynoise.io/ip/193.0.14.10',
  last_seen: '2026-11-20',
  message: 'Success',
}
describeSource('internet_noise', {
  extension: 'greynoise',
  key: 'G-KEY',
  header: 'key',
  read: readNoise,
  // It has no IPv6.
  url: /^\/193\.0\.14\.10$/,
  body: JSON.stringify(noise),
  section: { noise: true, common_service: false, classification: 'malicious', name: null, last_seen_on: '2026-11-20' },
  none: { section: { noise: false, common_service: false, classification: null, name: null, last_seen_on: null } },
})

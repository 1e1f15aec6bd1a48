import { quoteOr } from './section.js'

/** @type {Readonly<Record<string, string>>} */
const hosting = {
  green: 'The host is known to run on green energy',
  not_green: 'The host is not known to run on green energy',
  behind_cdn: 'A CDN hides the host',
  unknown: 'Whether the host runs on green energy is unknown',
}

/** @type {(section: any) => string} */
function summarise({ green_status, co2_grams_per_visit, rating }) {
  const visit =
    co2_grams_per_visit === null
      ? ''
      : `; a visit emits about ${co2_grams_per_visit} g of CO₂${rating ? `, rated ${rating}` : ''}`
  return `${hosting[green_status] ?? hosting.unknown}${visit}.`
}

/** @type {import('./section.js').Section} */
export const carbon_footprint = {
  title: 'Carbon',
  looks: 'the CO₂ of a visit and whether the host runs on green energy; it does not affect the score',
  informs: true,
  describe(section) {
    const { hosted_by, bytes, grid_country, grid_intensity } = section
    return {
      summary: [summarise(section)],
      facts: [
        ['Hosted by', quoteOr(hosted_by)],
        [
          'Size of the page',
          bytes === null
            ? null
            : `${Math.max(1, Math.round(bytes / 1024))} KiB, without images, scripts and other resources`,
        ],
        [
          'Electricity',
          grid_intensity === null
            ? null
            : `${grid_intensity} g of CO₂ per kWh${grid_country ? ` (${grid_country})` : ''}`,
        ],
      ],
    }
  },
}

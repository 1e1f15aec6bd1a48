// How people see the section.
import { countryName, labelsOf, type Presentation, quoteOr, size } from '../../src/engine/plugin.ts'
import { Section } from './section.ts'

const label = labelsOf(Section)

const hosting: Readonly<Record<Section['green_status'], string>> = {
  green: 'The host is known to run on green energy',
  not_green: 'The host is not known to run on green energy',
  behind_cdn: 'A CDN hides the host',
  unknown: 'Whether the host runs on green energy is unknown',
}

function summarise({ green_status, co2_grams_per_visit, rating }: Section, isWhole: boolean): string {
  const host = green_status === 'unknown' && isWhole ? 'No directory of green hosts was queried' : hosting[green_status]
  const visit =
    co2_grams_per_visit === null
      ? ''
      : `; a visit emits about ${co2_grams_per_visit} g of CO₂${rating ? `, rated ${rating}` : ''}`
  return `${host ?? hosting.unknown}${visit}.`
}

/** The model of the emissions, and who knows the hosts. */
const sources = [
  { label: 'Sustainable Web Design model', url: 'https://sustainablewebdesign.org/estimating-digital-emissions/' },
  { label: 'Green Web Foundation: directory of hosts', url: 'https://www.thegreenwebfoundation.org/' },
  { label: 'carbon.txt', url: 'https://carbontxt.org/' },
] as const

export const presentation: Presentation<Section> = {
  title: 'Carbon',
  looks: 'the CO₂ of a visit and whether the host runs on green energy; it does not affect the score',
  order: 170,
  informs: true,
  describe(section, { isWhole }) {
    const { green_status, hosted_by, cdn, bytes, grid_country, grid_intensity } = section
    return {
      summary: [summarise(section, isWhole)],
      facts: [
        // The directory answered, and has no entry.
        [label.hosted_by, quoteOr(hosted_by, green_status === 'not_green' ? 'not listed in the directory' : null)],
        [label.cdn, quoteOr(cdn, 'none seen')],
        [label.bytes, bytes === null ? null : `${size(bytes)}, without images, scripts and other resources`],
        [
          label.grid_intensity,
          grid_intensity === null
            ? null
            : `${grid_intensity} g of CO₂ per kWh${grid_country ? ` (${countryName(grid_country)})` : ''}`,
        ],
      ],
      links: sources,
    }
  },
}

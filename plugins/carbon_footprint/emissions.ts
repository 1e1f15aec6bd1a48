// Grams of CO2 equivalent for a visit by the Sustainable Web Design model, version 4.
import { averageIntensity, co2 } from '@tgwf/co2'
import { alpha3 } from './country_codes.ts'

export const ratings = ['A+', 'A', 'B', 'C', 'D', 'E', 'F'] as const
export type Rating = (typeof ratings)[number]

export interface Emissions {
  readonly grams: number
  readonly rating: Rating
  /** Grams of CO2 equivalent for a kilowatt-hour where the servers are. */
  readonly grid_intensity: number
  /** Whose grid that is, ISO 3166-1 alpha-2; null for the world's average. */
  readonly grid_country: string | null
}

const model = new co2({ model: 'swd', version: 4, rating: true })

/** A visitor who was not there before: nothing is in a cache. The model warns on the console of what is left out. */
const firstVisit = { dataReloadRatio: 0, firstVisitPercentage: 1, returnVisitPercentage: 0 }

/** Millionths of a gram: less than that, the model does not know. */
const round = (grams: number): number => Math.round(grams * 1e6) / 1e6

const isRating = (text: string): text is Rating => ratings.some(rating => rating === text)

function intensityOf(country: string | null): number | null {
  const code = country === null ? undefined : alpha3.get(country)
  return code === undefined ? null : (averageIntensity.data[code] ?? null)
}

/**
 * The country's grid feeds the data centre; networks and devices are where visitors are, and take the world's average.
 * Green hosting takes the data centre's operation away.
 */
export function emissionsOf(bytes: number, green: boolean, country: string | null): Emissions {
  const known = intensityOf(country)
  const assumed = known === null ? firstVisit : { gridIntensity: { dataCenter: known }, ...firstVisit }
  const { co2: visit, variables } = model.perVisitTrace(bytes, green, assumed)
  const { total, rating } = visit === 0 ? { total: 0, rating: 'A+' } : visit
  return {
    grams: round(total),
    rating: isRating(rating) ? rating : 'F',
    grid_intensity: variables.gridIntensity.dataCenter.value,
    grid_country: known === null ? null : country,
  }
}

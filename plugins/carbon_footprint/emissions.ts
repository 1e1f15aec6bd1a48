// Grams of CO2 equivalent per visit by the Sustainable Web Design model, version 4.
import { averageIntensity, co2 } from '@tgwf/co2'
import { alpha3 } from './country_codes.ts'

/** Digital Carbon Ratings, the best first. */
export const ratings = ['A+', 'A', 'B', 'C', 'D', 'E', 'F'] as const
export type Rating = (typeof ratings)[number]

const model = new co2({ model: 'swd', version: 4, rating: true })

/** A first-time visitor with an empty cache. Every parameter is given, because the model warns on the console otherwise. */
const firstVisit = { dataReloadRatio: 0, firstVisitPercentage: 1, returnVisitPercentage: 0 }

/** Rounds to millionths of a gram, the precision of the model. */
const round = (grams: number): number => Math.round(grams * 1e6) / 1e6

const isRating = (text: string): text is Rating => ratings.some(rating => rating === text)

function intensityOf(country: string | null): number | null {
  const code = country === null ? undefined : alpha3.get(country)
  return code === undefined ? null : (averageIntensity.data[code] ?? null)
}

/**
 * The data centre uses the grid of its country. Networks and devices are near the visitors and use the world average.
 * Green hosting removes the operational emissions of the data centre.
 */
export function emissionsOf(bytes: number, green: boolean, country: string | null) {
  const intensity = intensityOf(country)
  const visitOptions = intensity === null ? firstVisit : { gridIntensity: { dataCenter: intensity }, ...firstVisit }
  const { co2: visit, variables } = model.perVisitTrace(bytes, green, visitOptions)
  const { total, rating } = visit === 0 ? { total: 0, rating: 'A+' } : visit
  return {
    grams: round(total),
    rating: isRating(rating) ? rating : 'F',
    /** Grams of CO2 equivalent per kilowatt-hour at the data centre. */
    grid_intensity: variables.gridIntensity.dataCenter.value,
    /** Country of that grid, ISO 3166-1 alpha-2; null for the world average. */
    grid_country: intensity === null ? null : country,
  }
}

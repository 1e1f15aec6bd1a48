// A place on a small map of the world, drawn from the outline that this service has.
import { element, foreign, svg } from './element.js'

/** @typedef {NonNullable<import('./result.js').ReportSection['place']>} Place */

/** Whole degrees: the datasets know the area, not the building. @type {(place: Place) => string} */
const coordinates = ({ latitude, longitude }) =>
  `${Math.abs(Math.round(latitude))}° ${latitude < 0 ? 'S' : 'N'}, ${Math.abs(Math.round(longitude))}° ${longitude < 0 ? 'W' : 'E'}`

/** The outline is loaded when the map is needed. @param {Place} place */
export function placeMap(place) {
  const holder = element('div', { class: 'map' })
  const caption = element('figcaption', {}, foreign(place.label), ` (about ${coordinates(place)})`)
  void import('./world_map_outline.js').then(
    ({ LAND, MAP: { width, height, north } }) => {
      const [x, y] = [place.longitude + 180, Math.min(height, Math.max(0, north - place.latitude))]
      holder.append(
        svg(
          'svg',
          { viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true', focusable: 'false' },
          svg('path', { d: LAND, class: 'land' }),
          svg('path', { d: `M${x} 0V${height}M0 ${y}H${width}`, class: 'cross' }),
          svg('circle', { cx: x, cy: y, r: 3.5, class: 'here' }),
        ),
      )
    },
    // The caption says the same.
    () => holder.remove(),
  )
  return element('figure', { class: 'place' }, holder, caption)
}

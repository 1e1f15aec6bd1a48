// Maps.
import { file, from, packaged, resource, technologies } from '../marks.ts'

export const map = technologies('map', [
  ['Apple MapKit JS', [from('cdn.apple-mapkit.com')]],
  ['ArcGIS', [from('js.arcgis.com')]],
  ['Google Maps', [from('maps.googleapis.com'), from('maps.google.com'), resource('google.com/maps/')]],
  ['HERE Maps', [from('js.api.here.com')]],
  ['Mapbox', [from('api.mapbox.com'), packaged('mapbox-gl'), file('mapbox-gl.js')]],
  ['MapLibre', [packaged('maplibre-gl'), file('maplibre-gl')]],
  ['OpenLayers', [packaged('ol'), packaged('openlayers'), file('OpenLayers.js')]],
  ['OpenStreetMap', [from('openstreetmap.org')]],
  ['Yandex Maps', [from('api-maps.yandex.ru')]],
])

// Maps.
import { file, from, packaged, resource, technologies } from '../patterns.ts'

export const map = technologies('map', [
  ['2GIS', [from('maps.api.2gis.ru')]],
  ['Amap', [from('webapi.amap.com')]],
  ['Apple MapKit JS', [from('cdn.apple-mapkit.com')]],
  ['ArcGIS', [from('js.arcgis.com')]],
  ['Baidu Maps', [from('api.map.baidu.com')]],
  ['Bing Maps', [resource('bing.com/api/maps')]],
  ['CARTO Basemaps', [from('basemaps.cartocdn.com')]],
  ['Google Maps', [from('maps.googleapis.com'), from('maps.google.com'), resource('google.com/maps/')]],
  ['HERE Maps', [from('js.api.here.com')]],
  ['Kakao Maps', [from('dapi.kakao.com')]],
  ['Mapbox', [from('api.mapbox.com'), packaged('mapbox-gl'), file('mapbox-gl.js')]],
  ['MapLibre', [packaged('maplibre-gl'), file('maplibre-gl')]],
  ['MapTiler', [from('api.maptiler.com'), from('cdn.maptiler.com')]],
  ['Mapy.cz', [from('api.mapy.cz'), from('frame.mapy.cz')]],
  ['Naver Maps', [from('openapi.map.naver.com')]],
  ['OpenLayers', [packaged('ol'), packaged('openlayers'), file('OpenLayers.js')]],
  ['OpenStreetMap', [from('openstreetmap.org')]],
  ['TomTom Maps', [from('api.tomtom.com')]],
  ['what3words', [from('cdn.what3words.com')]],
  ['Yandex Maps', [from('api-maps.yandex.ru')]],
])

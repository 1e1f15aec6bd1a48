// Site search.
import { classes, className, from, packaged, resource, technologies } from '../patterns.ts'

export const search = technologies('search', [
  ['AddSearch', [from('addsearch.com')]],
  ['Algolia', [from('algolia.net'), from('algolianet.com'), packaged('algoliasearch'), packaged('instantsearch.js')]],
  ['Algolia DocSearch', [packaged('@docsearch/js'), packaged('@docsearch/css'), className('DocSearch')], ['Algolia']],
  ['Attraqt', [from('attraqt.io')]],
  ['Bloomreach', [from('cdn.brcdn.com'), from('brsrvr.com')]],
  ['Cludo', [from('cludo.com')]],
  ['Constructor.io', [from('cnstrc.com')]],
  ['Coveo', [from('static.cloud.coveo.com'), classes('CoveoSearch')]],
  ['Doofinder', [from('cdn.doofinder.com')]],
  ['Findify', [from('findify.io')]],
  ['Funnelback', [from('funnelback.com')]],
  ['Google Programmable Search', [resource('cse.google.com/cse'), className('gcse-search')]],
  ['Klevu', [from('js.klevu.com')]],
  ["Luigi's Box", [from('luigisbox.com')]],
  ['Meilisearch', [packaged('meilisearch'), from('meilisearch.io')]],
  ['Nextopia', [from('nextopiasoftware.com')]],
  ['Pagefind', [resource('/pagefind/pagefind')]],
  ['Searchanise', [from('searchanise.com'), from('searchserverapi.com')]],
  ['Searchspring', [from('searchspring.net'), from('searchspring.io')]],
  ['Site Search 360', [from('sitesearch360.com')]],
  ['Swiftype', [from('s.swiftypecdn.com')]],
  ['Typesense', [packaged('typesense')]],
  ['Yext', [from('assets.sitescdn.net')]],
])

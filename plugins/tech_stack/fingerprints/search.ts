// Search within sites.
import { classes, className, from, packaged, resource, technologies } from '../marks.ts'

export const search = technologies('search', [
  ['Algolia', [from('algolia.net'), from('algolianet.com'), packaged('algoliasearch'), packaged('instantsearch.js')]],
  ['Algolia DocSearch', [packaged('@docsearch/js'), packaged('@docsearch/css'), className('DocSearch')], ['Algolia']],
  ['Bloomreach', [from('cdn.brcdn.com'), from('brsrvr.com')]],
  ['Coveo', [from('static.cloud.coveo.com'), classes('CoveoSearch')]],
  ['Doofinder', [from('cdn.doofinder.com')]],
  ['Google Programmable Search', [resource('cse.google.com/cse'), className('gcse-search')]],
  ['Klevu', [from('js.klevu.com')]],
  ['Meilisearch', [packaged('meilisearch'), from('meilisearch.io')]],
  ['Pagefind', [resource('/pagefind/pagefind')]],
  ['Searchanise', [from('searchanise.com'), from('searchserverapi.com')]],
  ['Swiftype', [from('s.swiftypecdn.com')]],
])

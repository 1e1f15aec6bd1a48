// Where a dataset comes from, by what its setting names: a file of the operator's, or a publisher's URL.
import type { Use } from './dataset.ts'
import { localSource } from './local_source.ts'
import { remoteSource } from './remote_source.ts'
import type { DatasetFor, Source, SourceParts } from './source.ts'

export const createSource = <One extends Use>(dataset: DatasetFor<One>, parts: SourceParts): Source<One> =>
  dataset.path === null ? remoteSource(dataset, parts) : localSource(dataset, dataset.path, parts.clock)

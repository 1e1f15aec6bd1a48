// Well-known free sources, in order of preference. Sources that need a key, forbid commercial use or do not state their terms
// are off by default and say why.
import { Type } from 'typebox'
import { dataFile } from '../../base/data_file.ts'
import { type Dataset, type DatasetDefinition, dataset, datasetMembers, Use } from './dataset.ts'
import known from './known_datasets.json' with { type: 'json' }

export const DatasetsFile = dataFile({
  datasets: Type.Array(
    Type.Object(
      {
        id: Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$', description: 'How configuration and results name it.' }),
        ...datasetMembers,
        use: Use,
        off: Type.Optional(
          Type.String({ minLength: 1, description: 'Why it is off by default; absent when it is on.' }),
        ),
        with_key: Type.Optional(
          Type.String({ minLength: 1, description: 'Where to get a free key, and what it adds.' }),
        ),
      },
      { additionalProperties: false },
    ),
    { minItems: 1 },
  ),
})

export const knownDatasets: readonly Dataset[] = (known.datasets as readonly DatasetDefinition[]).map(dataset)

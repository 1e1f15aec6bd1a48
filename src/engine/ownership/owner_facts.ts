// Networks and name servers that serve only their owner, by the owner's main domain in the brand table.
import { Type } from 'typebox'
import { dataFile, TextList } from '../../base/data_file.ts'
import data from './own_networks.json' with { type: 'json' }

export const OwnNetworksFile = dataFile({
  networks: Type.Record(Type.String(), Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1, uniqueItems: true })),
  name_servers: TextList,
})

/**
 * Numbers of autonomous systems that announce only their owner's own services. An owner that also sells hosting or access is left
 * out, or only the number of its own services is here: a cloud's address proves nothing.
 */
export const OWN_NETWORKS: Readonly<Record<string, readonly number[]>> = data.networks

/**
 * Owners whose name servers, under their own domains, serve no zone of others: banks, carriers, shops and authorities that sell
 * neither domains nor hosting nor access. Whoever can add a zone to these servers works for the owner.
 */
export const OWN_NAME_SERVERS: ReadonlySet<string> = new Set(data.name_servers)

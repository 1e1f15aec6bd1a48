// Brands whose name stands on pages of others, and what for.
import { dataFile, TextList } from '../../src/engine/plugin.ts'
import data from './data/roles.json' with { type: 'json' }

export const RolesFile = dataFile({ means: TextList, makers: TextList })

/** Their names and logos stand in the log-ins and checkouts of others. */
export const MEANS: ReadonlySet<string> = new Set(data.means)

/** Their products run on hosts of their customers, with the maker's copyright line and icon. */
export const MAKERS: ReadonlySet<string> = new Set(data.makers)

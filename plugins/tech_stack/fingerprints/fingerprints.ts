// All built-in fingerprints, in the format of the option `fingerprints`.
import { dataFile, type Static, Type } from '../../../src/engine/plugin.ts'
import { categories } from '../categories.ts'
import { CluePattern, Fingerprint } from '../fingerprint.ts'
import applications from './applications.json' with { type: 'json' }
import content from './content.json' with { type: 'json' }
import delivery from './delivery.json' with { type: 'json' }
import frameworks from './frameworks.json' with { type: 'json' }
import libraries from './libraries.json' with { type: 'json' }
import mailAndOffice from './mail_and_office.json' with { type: 'json' }
import marketing from './marketing.json' with { type: 'json' }
import measurement from './measurement.json' with { type: 'json' }
import protection from './protection.json' with { type: 'json' }
import servers from './servers.json' with { type: 'json' }
import siteSoftware from './site_software.json' with { type: 'json' }

export const FingerprintFile = dataFile({ technologies: Type.Array(Fingerprint, { minItems: 1 }) })

type WrittenFingerprint = Pick<Fingerprint, 'name' | 'category'> & {
  readonly marks: readonly (Pick<CluePattern, 'in'> & Partial<CluePattern>)[]
  readonly implies?: readonly string[]
}

const files = [
  servers,
  frameworks,
  libraries,
  siteSoftware,
  applications,
  delivery,
  protection,
  mailAndOffice,
  measurement,
  marketing,
  content,
] as readonly { readonly technologies: readonly WrittenFingerprint[] }[]

/** What a pattern is where the file does not say. */
const DEFAULTS = Object.fromEntries(
  Object.entries(CluePattern.properties).map(([key, schema]) => [key, (schema as { default?: unknown }).default]),
) as Omit<Static<typeof CluePattern>, 'in'>

/** In the order of the categories. */
export const fingerprints: readonly Fingerprint[] = files
  .flatMap(({ technologies }) => technologies)
  .map(({ name, category, marks, implies = [] }) => ({
    name,
    category,
    implies: [...implies],
    marks: marks.map(mark => ({ ...DEFAULTS, ...mark })),
  }))
  .sort((a, b) => categories.indexOf(a.category) - categories.indexOf(b.category))

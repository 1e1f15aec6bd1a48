// Hosting, site building and dynamic DNS platforms that are missing from the PSL. Their tenants choose a name below the
// platform's domain, so the domain does not tell who is behind the name.
import { dataFile, TextList } from '../base/data_file.ts'
import data from './data/platforms.json' with { type: 'json' }

export const PlatformsFile = dataFile({ platforms: TextList })
export const platforms: readonly string[] = data.platforms
const PLATFORMS: ReadonlySet<string> = new Set(platforms)

/** Whether names below this registrable domain belong to tenants. */
export const isPlatform = (domain: string): boolean => PLATFORMS.has(domain)

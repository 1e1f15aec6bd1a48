// Which datasets there are: the known ones, the operator's choice among them and the operator's own.
import { didYouMean, type Fault } from '../engine/fault.ts'
import { type Dataset, dataset, type Written } from './dataset.ts'
import { knownDatasets } from './defaults.ts'

/** Of the configuration: a switch, a place (https URL or path), or members that differ from the known ones. */
export type Setting = null | boolean | string | SettingMembers

export type SettingMembers = { readonly enabled?: boolean | undefined } & {
  readonly [Member in Exclude<keyof Dataset, 'id' | 'off'>]?: Dataset[Member] | undefined
}

export interface Chosen extends Dataset {
  readonly enabled: boolean
}

type Settings = Readonly<Record<string, Setting>>

/** Known ones first, then those of the operator's own; entries with faults are left out. */
export function chooseDatasets(settings: Settings): readonly Chosen[] {
  const known = knownDatasets.map(one => chosen(one, settings[one.id]))
  const own = Object.entries(settings).flatMap(([id, setting]) =>
    isKnown(id) || !isOwn(setting) ? [] : [chosen(dataset({ ...without(setting), id, use: setting.use }), {})],
  )
  return [...known, ...own].filter(one => !one.enabled || placeFault(one) === null)
}

function chosen(one: Dataset, setting: Setting | undefined): Chosen {
  if (setting === undefined) return { ...one, enabled: one.off === null && hasPlace(one) }
  if (setting === null || typeof setting === 'boolean') return { ...one, enabled: setting === true }
  if (typeof setting === 'string') return { ...one, ...place(setting), enabled: true }
  const { enabled = true, ...members } = setting
  const moved = members.url ? place(members.url) : members.path ? place(members.path) : {}
  return { ...one, ...moved, ...(members as Partial<Dataset>), enabled }
}

/** A file of the operator's may be as small as it likes. */
const place = (written: string) =>
  isUrl(written) ? { url: written, path: null } : { url: null, path: written, min_entries: 1 }

/** What begins like a URL is none of the paths. */
export const isUrl = (written: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(written)

const without = ({ enabled: _, ...members }: SettingMembers) => members as Partial<Dataset>

const isKnown = (id: string): boolean => knownDatasets.some(one => one.id === id)

const isOwn = (setting: Setting): setting is SettingMembers & Pick<Written, 'use'> =>
  typeof setting === 'object' && setting !== null && setting.use !== undefined

const hasPlace = ({ url, path }: Dataset): boolean => url !== null || path !== null

/** What is wrong with the settings beyond what a schema can say, by key below `datasets`. */
export function datasetFaults(settings: Settings): readonly Fault[] {
  return Object.entries(settings).flatMap(([id, setting]) => {
    const message = faultOf(id, setting)
    return message === null ? [] : [{ path: `datasets.${id}`, message }]
  })
}

function faultOf(id: string, setting: Setting): string | null {
  const known = knownDatasets.find(one => one.id === id)
  if (known === undefined && !isOwn(setting)) {
    const ids = knownDatasets.map(one => one.id)
    return `no dataset has this id${didYouMean(id, ids)}; one of your own says its "use", and its "url" or "path"`
  }
  if (typeof setting === 'object' && setting !== null && setting.url && setting.path) {
    return 'has a url and a path: give one'
  }
  const one = known
    ? chosen(known, setting)
    : chosen(dataset({ ...without(setting as Written), id, use: (setting as Written).use }), {})
  return (one.enabled ? placeFault(one) : null) ?? ownFault(one, known === undefined)
}

function placeFault({ url, path, off }: Dataset): string | null {
  if (url === null) return path === null ? `give its url or path${off === null ? '' : ` (${off})`}` : null
  const filled = url.replace('{year}', '2000').replace('{month}', '01')
  return URL.canParse(filled) && new URL(filled).protocol === 'https:' ? null : 'the url must be an https URL'
}

function ownFault({ use, format, category }: Dataset, own: boolean): string | null {
  const isList = use === 'feed' || use === 'popularity'
  if (isList === (format === 'mmdb' || format === 'json'))
    return `a dataset for ${use} cannot be of the format ${format}`
  return own && use === 'feed' && category === 'unknown' ? 'a feed says its "category"' : null
}

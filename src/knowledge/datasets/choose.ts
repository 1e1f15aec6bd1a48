// Which datasets an installation has: the known ones as configured, and the operator's own.
import { didYouMean, type Fault } from '../../base/fault.ts'
import { type Dataset, type DatasetDefinition, dataset } from './dataset.ts'
import { knownDatasets } from './known_datasets.ts'

/** In the configuration: a switch, a place (https URL or path), or members that override the known ones. */
export type Setting = null | boolean | string | SettingMembers

export type SettingMembers = { readonly enabled?: boolean | undefined } & {
  readonly [Member in Exclude<keyof Dataset, 'id' | 'off'>]?: Dataset[Member] | undefined
}

export interface ChosenDataset extends Dataset {
  readonly enabled: boolean
  /** The operator named its place, or turned it on, or left the default as it is. */
  readonly chosen_by: 'place' | 'switch' | 'default'
}

type Settings = Readonly<Record<string, Setting>>

/** Known ones first, then the operator's own; entries with faults are left out. */
export function chooseDatasets(settings: Settings): readonly ChosenDataset[] {
  const builtInDatasets = knownDatasets.map(one => choose(one, settings[one.id]))
  const own = Object.entries(settings).flatMap(([id, setting]) =>
    isKnown(id) || !isOwn(setting) ? [] : [choose(dataset({ ...without(setting), id, use: setting.use }), setting)],
  )
  return [...builtInDatasets, ...own].filter(one => !one.enabled || placeFault(one) === null)
}

function choose(one: Dataset, setting: Setting | undefined): ChosenDataset {
  const chosenBy = one.off === null ? 'default' : 'switch'
  if (setting === undefined) return { ...one, enabled: one.off === null && hasPlace(one), chosen_by: 'default' }
  if (setting === null || typeof setting === 'boolean')
    return { ...one, enabled: setting === true, chosen_by: chosenBy }
  if (typeof setting === 'string') return { ...one, ...place(setting), enabled: true, chosen_by: 'place' }
  const { enabled = true, ...members } = setting
  const location = members.url ?? members.path
  const newPlace = location ? place(location) : {}
  return { ...one, ...newPlace, ...(members as Partial<Dataset>), enabled, chosen_by: location ? 'place' : chosenBy }
}

/** A file of the operator may have any size. */
const place = (location: string) =>
  isUrl(location) ? { url: location, path: null } : { url: null, path: location, min_entries: 1 }

/** Text that begins with a scheme is a URL and not a path. */
export const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text)

const without = ({ enabled: _, ...members }: SettingMembers) => members as Partial<Dataset>

const isKnown = (id: string): boolean => knownDatasets.some(one => one.id === id)

const isOwn = (setting: Setting): setting is SettingMembers & Pick<DatasetDefinition, 'use'> =>
  typeof setting === 'object' && setting !== null && setting.use !== undefined

const hasPlace = ({ url, path }: Dataset): boolean => url !== null || path !== null

/** Faults of the settings that a schema cannot express, by key below `datasets`. */
export function datasetFaults(settings: Settings): readonly Fault[] {
  return Object.entries(settings).flatMap(([id, setting]) => {
    const message = faultOf(id, setting)
    return message === null ? [] : [{ path: `datasets.${id}`, message }]
  })
}

function faultOf(id: string, setting: Setting): string | null {
  const builtIn = knownDatasets.find(one => one.id === id)
  if (builtIn === undefined && !isOwn(setting)) {
    const ids = knownDatasets.map(one => one.id)
    return `no dataset has this id${didYouMean(id, ids) || '.'} Your own dataset needs "use", and "url" or "path"`
  }
  if (typeof setting === 'object' && setting !== null && setting.url && setting.path) {
    return 'has both "url" and "path"; set only one of them'
  }
  const one = builtIn
    ? choose(builtIn, setting)
    : choose(
        dataset({ ...without(setting as DatasetDefinition), id, use: (setting as DatasetDefinition).use }),
        setting,
      )
  return (one.enabled ? placeFault(one) : null) ?? ownFault(one, builtIn === undefined)
}

function placeFault({ url, path, off }: Dataset): string | null {
  if (url === null) return path === null ? `set "url" or "path"${off === null ? '' : ` (${off})`}` : null
  const exampleUrl = url.replace('{year}', '2000').replace('{month}', '01')
  return URL.canParse(exampleUrl) && new URL(exampleUrl).protocol === 'https:' ? null : '"url" must be an https URL'
}

function ownFault({ use, format, category }: Dataset, own: boolean): string | null {
  const isList = use === 'feed' || use === 'popularity'
  if (isList === (format === 'mmdb' || format === 'json'))
    return `a dataset for ${use} cannot have the format ${format}`
  return own && use === 'feed' && category === 'unknown' ? 'a feed needs a "category"' : null
}

/** Names of the lists in use that name services for disposable e-mail addresses. */
export const disposableLists = (settings: Settings): readonly string[] =>
  chooseDatasets(settings).flatMap(one =>
    one.enabled && one.use === 'feed' && one.category === 'disposable' ? [one.name] : [],
  )

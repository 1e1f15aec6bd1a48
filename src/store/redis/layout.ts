// What is stored in Redis, as numbered layouts. A key holds the version; each migration runs forward only, changes nothing
// when it runs again, and the version is raised after it: several instances may migrate at once, and one that dies
// halfway leaves the rest to the next. To change the layout, append a migration and record a Redis of the version before
// it: see test/store/migrations.test.ts.
import { type PlanChosen, planChosen } from '../key_rows.ts'
import { type Key, StoreError } from '../store.ts'
import { adoptPlans, pages } from './key_rows.ts'
import { type Run, script } from './link.ts'
import { isWhole, textOrNone } from './protocol.ts'

const versionKey = ({ key }: Run) => key('layout')
/** Set by releases of layout 2 that did not store a version yet. */
const layout2 = ({ key }: Run) => key('accounts-have-plans')

type Migration = (run: Run, now: number) => Promise<readonly PlanChosen[]>

/** The first entry leads from version 1 to version 2. */
const migrations: readonly Migration[] = [movePlansToAccounts]

export const layout_version = migrations.length + 1

/** Keys: version. Arguments: the version that was reached. */
const raiseScript = script<number>(
  `
local version = tonumber(redis.call('GET', KEYS[1])) or 0
if version < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1]) end
return 1
`,
  isWhole,
)

export interface MigrateOptions {
  /** The wall clock, in milliseconds. */
  readonly now: number
  /** Checks the version and changes nothing. */
  readonly as_it_is?: boolean
}

/** Resolves with the plans that were chosen for accounts. Rejects with a StoreError when a later release wrote this Redis. */
export async function migrateLayout(
  run: Run,
  { now, as_it_is = false }: MigrateOptions,
): Promise<readonly PlanChosen[]> {
  const stored = await readVersion(run)
  // Without a version, an empty Redis counts as layout 1: there is nothing to migrate.
  const version = stored ?? ((await run(client => client.exists(layout2(run)))) === 1 ? 2 : 1)
  if (version > layout_version) throw tooNew(version)
  if (as_it_is) return []
  const chosen: PlanChosen[] = []
  for (const [done, migrate] of migrations.entries()) {
    if (version > done + 1) continue
    chosen.push(...(await migrate(run, now)))
    await raiseScript(run, [versionKey(run)], [`${done + 2}`])
  }
  if (stored === null) await raiseScript(run, [versionKey(run)], [`${layout_version}`])
  return chosen
}

/** Null when no version is stored; anything else that is not a version counts as none. */
export async function readVersion(run: Run): Promise<number | null> {
  const stored = await run(async client => textOrNone(await client.get(versionKey(run))))
  return stored !== null && /^[1-9]\d{0,8}$/.test(stored) ? Number(stored) : null
}

function tooNew(version: number): StoreError {
  const known = `this release knows versions up to ${layout_version}`
  const message = `Redis was written by a later release (layout version ${version}; ${known}). Run that release.`
  return new StoreError('store_too_new', message)
}

/** Version 2: a plan belongs to an account. Releases before that stored it with each key. */
async function movePlansToAccounts(run: Run, now: number): Promise<readonly PlanChosen[]> {
  const accounts = new Map<string, Key[]>()
  for await (const keys of pages(run)) {
    for (const key of keys) {
      const others = accounts.get(key.account)
      if (others === undefined) accounts.set(key.account, [key])
      else others.push(key)
    }
  }
  const chosen = [...accounts].map(([account, keys]) => planChosen(account, keys, now))
  await adoptPlans(run, chosen)
  return chosen.filter(({ of }) => of.length > 1)
}

// The configuration must have the plan of every valid key: without it, requests can be neither counted nor limited.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { didYouMean, type Fault } from '../base/fault.ts'
import type { Config } from '../config/config.ts'
import { openKeys } from '../store/open_backend.ts'
import { type KeyStore, StoreError } from '../store/store.ts'
import { pasteable } from './invocation.ts'

/** Empty while the store is unavailable; the service asks again when it is back. */
export async function heldPlanFaults(keys: Pick<KeyStore, 'unknownPlans'>, plans: Config['plans']): Promise<Fault[]> {
  const names = Object.keys(plans)
  const holders = await keys.unknownPlans(names).catch(unreachable)
  return holders.map(({ plan, accounts, keys }) => ({
    path: `plans.${plan}`,
    message:
      `missing, but ${count(accounts, 'account')} with ${count(keys, 'valid key')} ${accounts === 1 ? 'has' : 'have'} ` +
      `this plan${didYouMean(plan, names) || '.'} Add it, or change the plan of each account: ` +
      pasteable('`assay keys plan ACCOUNT PLAN`'),
  }))
}

/**
 * The same for a store that is not open yet, when the configuration has other faults, so that one start reports all of them.
 * Does not change the store and ignores its own errors.
 */
export async function heldPlanFaultsBeside(config: Config, faults: readonly Fault[]): Promise<Fault[]> {
  const sections = new Set(faults.map(({ path }) => path.split('.')[0]))
  if (['', 'data', 'store', 'keys', 'plans', 'cache'].some(section => sections.has(section))) return []
  if (config.store === null && !existsSync(join(config.data, 'assay.db'))) return []
  try {
    const { keys, close } = await openKeys(config)
    try {
      return await heldPlanFaults(keys, config.plans)
    } finally {
      await close()
    }
  } catch (error) {
    return unreachable(error)
  }
}

function unreachable(error: unknown): [] {
  if (error instanceof StoreError) return []
  throw error
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`

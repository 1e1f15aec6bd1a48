// Rights that one process has for a while: it renews them, and another takes over when it has not.
import type { Database } from './database.ts'
import { orStoreError } from './faults.ts'

/** `now` in milliseconds since the Unix epoch. All methods reject with a StoreError. */
export function createLeases({ read, transaction }: Database, now: () => number) {
  return orStoreError({
    /** Takes the lease for `holder`; false if another holder has it. A lease from the future is ignored: its clock was wrong. */
    take: (name: string, holder: string, ms: number) =>
      transaction(async change => {
        const at = now()
        const insertion = await change
          .insertInto('leases')
          .values({ name, holder, until: at + ms })
          .onConflict(oc =>
            oc
              .column('name')
              .doUpdateSet({ holder, until: at + ms })
              .where(eb =>
                eb.or([
                  eb('leases.holder', '=', holder),
                  eb('leases.until', '<=', at),
                  eb('leases.until', '>', at + ms),
                ]),
              ),
          )
          .executeTakeFirst()
        return insertion.numInsertedOrUpdatedRows === 1n
      }),

    /** Those who hold what begins with the prefix. */
    async holders(prefix: string): Promise<readonly string[]> {
      const heldLeases = read
        .selectFrom('leases')
        .select('holder')
        .where('name', '>=', prefix)
        .where('name', '<', `${prefix}~`)
      return (await heldLeases.where('until', '>', now()).execute()).map(({ holder }) => holder)
    },

    release: (name: string, holder: string) =>
      transaction(async change => {
        await change.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute()
      }),
  })
}

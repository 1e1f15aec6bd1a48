// Claims in both databases, each empty and new; what one opening does stands for a process.
import { randomUUID } from 'node:crypto'
import Direct from 'libsql'
import pg from 'pg'
import type { ClaimLimits, Claims } from '../../src/store/sql/claims.ts'
import type { Database } from '../../src/store/sql/database.ts'
import { createPostgresClaims } from '../../src/store/sql/postgres/claims.ts'
import { openPostgres } from '../../src/store/sql/postgres/open.ts'
import { emptyClaims, openSqliteClaims } from '../../src/store/sql/sqlite/claims.ts'
import { openSqlite } from '../../src/store/sql/sqlite/open.ts'
import { type PostgresServer, sharedPostgres } from '../postgres_server.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

export interface ClaimsStore {
  /** Once for each process; `now` replaces the clock, in milliseconds. */
  open(limits: ClaimLimits, now?: () => number): Promise<Claims & { readonly database: Database }>
  /** Loses all claims. */
  empty(): Promise<void>
  count(): Promise<number>
}

export interface ClaimsPlace {
  readonly name: 'SQLite' | 'PostgreSQL'
  create(): Promise<ClaimsStore>
}

const timed = (now: (() => number) | undefined) => (now === undefined ? {} : { now })

/** Claims that close their database, too. */
function joined(claims: Claims, database: Database): Claims & { readonly database: Database } {
  const close = async () => {
    await claims.close()
    await database.close()
  }
  const more: Readonly<Record<string | symbol, unknown>> = { close, database }
  const memberOf = (of: object, name: string | symbol) => {
    const value = Reflect.get(of, name)
    return more[name] ?? (typeof value === 'function' ? value.bind(of) : value)
  }
  return new Proxy(claims, { get: memberOf }) as never
}

export const claimsPlaces: readonly ClaimsPlace[] = [
  {
    name: 'SQLite',
    async create() {
      const directory = temporaryDirectory()
      emptyClaims(directory)
      const asked = <T>(ask: (database: Direct.Database) => T) => {
        const database = new Direct(`${directory}/claims.db`, { timeout: 5_000 })
        try {
          return ask(database)
        } finally {
          database.close()
        }
      }
      return {
        async open(limits, now) {
          const database = await openSqlite({ directory, patience_ms: 30_000 })
          const own = { directory, database, owner: randomUUID(), limits, patience_ms: 30_000 }
          return joined(await openSqliteClaims({ ...own, ...timed(now) }), database)
        },
        empty: async () => asked(database => void database.exec('DELETE FROM claims')),
        count: async () =>
          asked(database => (database.prepare('SELECT count(*) AS n FROM claims').get() as { n: number }).n),
      }
    },
  },
  { name: 'PostgreSQL', create: async () => claimsInPostgres(await sharedPostgres()) },
]

export async function claimsInPostgres(server: Pick<PostgresServer, 'createDatabase'>): Promise<ClaimsStore> {
  const url = await server.createDatabase()
  const place = { url }
  async function asked(text: string) {
    const client = new pg.Client(url)
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }
  return {
    async open(limits, now) {
      const database = await openPostgres({ place, onLoss: () => {} })
      const claims = createPostgresClaims({ database, place, owner: randomUUID(), limits, ...timed(now) })
      return joined(claims, database)
    },
    empty: async () => void (await asked('TRUNCATE claims')),
    count: async () => Number((await asked('SELECT count(*) AS n FROM claims'))[0].n),
  }
}

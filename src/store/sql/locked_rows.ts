// Rows of a name and a JSON text that several processes change: a transaction locks and reads them in the order of their names,
// JavaScript decides, and one statement writes what changed. Two that meet wait for each other and never deadlock.
import { CompiledQuery } from 'kysely'
import type { Change, Database, Dialect } from './database.ts'

export interface RowsOf {
  readonly table: string
  readonly name: string
  readonly text: string
  /** A column for the time of the last change. */
  readonly at?: string
}

/** The JSON text of a row that nothing was written to. */
export const EMPTY = 'null'

interface Statements {
  readonly insert: string
  readonly lock: string
  readonly read: string
  readonly write: string
}

const statements: Readonly<Record<Dialect, (rows: RowsOf) => Statements>> = {
  sqlite({ table, name, text, at }) {
    const read = `SELECT ${name} AS name, ${text} AS text FROM ${table} WHERE ${name} IN (SELECT value FROM json_each(?1))`
    const [column, value, set] = at === undefined ? ['', '', ''] : [`, ${at}`, ', ?2', `, ${at} = excluded.${at}`]
    return {
      insert: '',
      lock: `SELECT json_group_object(${name}, ${text}) AS texts FROM ${table} WHERE ${name} IN (SELECT value FROM json_each(?1)) LIMIT 1`,
      read,
      write: `INSERT INTO ${table} (${name}, ${text}${column}) SELECT key, value${value} FROM json_each(?1) WHERE true
ON CONFLICT (${name}) DO UPDATE SET ${text} = excluded.${text}${set}`,
    }
  },
  postgres({ table, name, text, at }) {
    const read = `SELECT ${name} AS name, ${text} AS text FROM ${table} WHERE ${name} = ANY ($1::text[])`
    const [column, value, set] = at === undefined ? ['', '', ''] : [`, ${at}`, ', 0', `, ${at} = $3`]
    return {
      insert: `INSERT INTO ${table} (${name}, ${text}${column}) SELECT name, '${EMPTY}'${value} FROM unnest($1::text[]) AS fresh (name)
ON CONFLICT DO NOTHING`,
      lock: `${read} ORDER BY ${name} FOR UPDATE`,
      read,
      write: `UPDATE ${table} SET ${text} = fresh.text${set} FROM unnest($1::text[], $2::text[]) AS fresh (name, text)
WHERE ${name} = fresh.name`,
    }
  },
}

interface StoredRow {
  readonly name: string
  readonly text: string
}

const textsOf = (rows: readonly StoredRow[]) => new Map(rows.map(({ name, text }) => [name, text]))

/** A statement for many executions: Kysely gives each that it compiles an id, which costs as much as the statement. */
export function statement<Row>(text: string): (...parameters: readonly unknown[]) => CompiledQuery<Row> {
  const compiledQuery = CompiledQuery.raw(text) as CompiledQuery<Row>
  return (...parameters) => ({ ...compiledQuery, parameters })
}

export function createLockedRows(database: Database, rows: RowsOf) {
  const texts = statements[database.dialect](rows)
  const insert = statement(texts.insert)
  const lockFile = statement<{ texts: string }>(texts.lock)
  const lock = statement<StoredRow>(texts.lock)
  const read = statement<StoredRow>(texts.read)
  const write = statement(texts.write)
  const isFile = database.dialect === 'sqlite'
  /** A list as one parameter. */
  const list = (names: readonly string[]) => (isFile ? JSON.stringify(names) : names)
  return {
    /**
     * Locks the rows until `change` ends and resolves with their texts. `names` are distinct and sorted. A row that does not exist
     * has the text `null`; PostgreSQL locks it only if it is in `fresh`, and leaves others that are missing out of the answer.
     */
    async lock(
      change: Change,
      names: readonly string[],
      fresh: readonly string[] = names,
    ): Promise<ReadonlyMap<string, string>> {
      if (isFile) {
        // The transaction has locked the file already.
        const result = await change.executeQuery(lockFile(list(names)))
        const texts = new Map<string, string>(Object.entries(JSON.parse(result.rows[0]?.texts ?? '{}')))
        for (const name of names) if (!texts.has(name)) texts.set(name, EMPTY)
        return texts
      }
      // In the order of names, as the locks: another process that inserts one of them is waited for while nothing is held before it.
      if (fresh.length > 0) await change.executeQuery(insert(fresh))
      return textsOf((await change.executeQuery(lock(names))).rows)
    },
    /** Writes rows that `change` has locked. */
    async write(change: Change, texts: ReadonlyMap<string, string>, at?: number) {
      if (texts.size === 0) return
      const parameters: unknown[] = isFile
        ? [JSON.stringify(Object.fromEntries(texts))]
        : [[...texts.keys()], [...texts.values()]]
      if (at !== undefined) parameters.push(at)
      await change.executeQuery(write(...parameters))
    },
    /** The texts of those that exist. Locks nothing. */
    async read(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
      return textsOf((await database.read.executeQuery(read(list(names)))).rows)
    },
  }
}

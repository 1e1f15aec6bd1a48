// Many keys in an embedded store.
import Database from 'libsql'

/** The hash of the key with this number. */
export const filledHash = (number: number): string => number.toString(16).padStart(64, '0')

/** Adds keys to the file of a closed store, each of an account of its own. */
export function fillKeys(path: string, count: number): void {
  const database = new Database(path)
  const insert = database.prepare(
    'INSERT INTO keys (id, account, hash, display, label, created) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const open = database.prepare('INSERT INTO accounts (id, plan) VALUES (?, ?)')
  database.exec('BEGIN')
  for (let n = 0; n < count; n++) {
    open.run(`acc_${n}`, 'startup')
    insert.run(`key_${n}`, `acc_${n}`, filledHash(n), 'assay_abcd', JSON.stringify(`customer ${n}`), n)
  }
  database.exec('COMMIT')
  database.close()
}

// PostgreSQL for benches: the machine's own programs, a cluster of its own on a free port, made durable as an operator's would be.
import { type PostgresServer, startPostgres } from '../../test/postgres_server.ts'

/** Commits reach the disk. */
export const startDatabase = (): Promise<PostgresServer> => startPostgres(['fsync=on', 'synchronous_commit=on'])

// `assay backup` and `assay restore`: a copy of the embedded store, made beside a running service.
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type Config, readConfig } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import { type BackedUp, backUp, restore } from '../store/sql/sqlite/backup.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { pasteable } from './invocation.ts'
import { configOption, dataOption, requireSound, type SharedOptions } from './options.ts'
import type { Output } from './output.ts'

interface BackupOptions extends SharedOptions {
  readonly json?: boolean
}

const HELP = `
The file is complete or not there; an existing one is never overwritten. A service may run and write meanwhile. The
configuration and the datasets are not in it: the former is your file, the latter are fetched again.

Example:
  assay backup /backup/assay-2026-11-25.db
  assay restore /backup/assay-2026-11-25.db --data ./data`

const RESTORE_HELP = `
Stop the service first. The data directory must not have a store yet. Keys that were revoked after the backup are valid
again: revoke them before you start the service.`

export function defineBackup(command: Command, { out }: Output): void {
  dataOption(configOption(command))
    .argument('<file>', 'file to create')
    .option('-j, --json', 'print path and size as JSON')
    .addHelpText('after', pasteable(HELP))
    .action(async (target: string, options: BackupOptions) => {
      const directory = dataDirectory(options, 'backed up')
      const copy = await backUp(directory, fileOf(target))
      out(options.json ? `${JSON.stringify(copy)}\n` : backupText(target, copy))
    })
}

export function defineRestore(command: Command, { out }: Output): void {
  dataOption(configOption(command))
    .argument('<file>', 'file that `assay backup` created')
    .option('-j, --json', 'print path and size as JSON')
    .addHelpText('after', pasteable(RESTORE_HELP))
    .action(async (source: string, options: BackupOptions) => {
      const directory = dataDirectory(options, 'restored')
      const copy = await restore(fileOf(source), directory)
      out(options.json ? `${JSON.stringify(copy)}\n` : restoredText(copy))
    })
}

function fileOf(file: string): string {
  if (file === '') throw new CliError(EXIT.usage, 'the file has an empty name')
  return resolve(file)
}

function dataDirectory(options: SharedOptions, what: string): string {
  const { config, faults } = readConfig(options, readEnvironment())
  requireSound(faults)
  refusePostgres(config, what)
  return config.data
}

/** PostgreSQL has means of its own, which also work without assay. */
function refusePostgres({ store }: Config, what: string): void {
  if (store === null) return
  throw new CliError(
    EXIT.usage,
    `The store is PostgreSQL, which must be ${what} with its own means: \`pg_dump --format=custom\` copies it, ` +
      'and `pg_restore` fills an empty database.',
  )
}

const KIB = 1024

const size = (bytes: number): string =>
  bytes < KIB * KIB ? `${Math.ceil(bytes / KIB)} KiB` : `${(bytes / KIB / KIB).toFixed(1)} MiB`

const backupText = (target: string, { bytes }: BackedUp): string =>
  pasteable(`Backup written to ${target} (${size(bytes)}). Restore it with \`assay restore ${target}\`.\n`)

const restoredText = ({ path, bytes }: BackedUp): string =>
  pasteable(
    `Restored to ${path} (${size(bytes)}). Keys revoked since the backup are valid again. ` +
      'Check `assay keys list` before you start the service.\n',
  )

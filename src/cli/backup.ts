// `assay backup` and `assay restore`: copies of the embedded store, made beside a running service.
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type Config, readConfig } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import { version } from '../package_root.ts'
import { backUp, type Manifest } from '../store/embedded/backup.ts'
import { databases } from '../store/embedded/databases.ts'
import { restore } from '../store/embedded/restore.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { pasteable } from './invocation.ts'
import { configOption, dataOption, requireSound, type SharedOptions } from './options.ts'
import type { Output } from './output.ts'

interface BackupOptions extends SharedOptions {
  readonly json?: boolean
}

const HELP = `
The new directory has a copy of each database of the data directory and manifest.json with their SHA-256. It is complete or
not there; an existing one is never overwritten. A service may run and write meanwhile. The configuration and the datasets
are not in it: the former is your file, the latter are fetched again.

Example:
  assay backup /backup/assay-2026-11-25
  assay restore /backup/assay-2026-11-25 --data ./data`

const RESTORE_HELP = `
Stop the service first. The data directory must not have databases yet. Databases of an earlier release are migrated when
the service starts. Keys that were revoked after the backup are valid again: revoke them before you start the service.`

export function defineBackup(command: Command, { out }: Output): void {
  dataOption(configOption(command))
    .argument('<dir>', 'directory to create')
    .option('-j, --json', 'print the manifest')
    .addHelpText('after', pasteable(HELP))
    .action(async (target: string, options: BackupOptions) => {
      const directory = dataDirectory(options, 'backed up')
      const manifest = await backUp({ directory, target: named(target), release: version, now: Date.now() })
      out(options.json ? `${JSON.stringify(manifest)}\n` : backupText(target, manifest))
    })
}

export function defineRestore(command: Command, { out }: Output): void {
  dataOption(configOption(command))
    .argument('<dir>', 'directory that `assay backup` created')
    .option('-j, --json', 'print the manifest')
    .addHelpText('after', pasteable(RESTORE_HELP))
    .action(async (source: string, options: BackupOptions) => {
      const directory = dataDirectory(options, 'restored')
      const manifest = await restore({ source: named(source), directory })
      out(options.json ? `${JSON.stringify(manifest)}\n` : restoredText(directory, manifest))
    })
}

function named(directory: string): string {
  if (directory === '') throw new CliError(EXIT.usage, 'the directory has an empty name')
  return resolve(directory)
}

function dataDirectory(options: SharedOptions, what: string): string {
  const { config, faults } = readConfig(options, readEnvironment())
  requireSound(faults)
  refuseRedis(config, what)
  return config.data
}

/** Redis has means of its own, which also work without assay. */
function refuseRedis({ store, data }: Config, what: string): void {
  if (store === null) return
  throw new CliError(
    EXIT.usage,
    `The store is Redis, which must be ${what} with its own means: \`redis-cli --rdb FILE\` copies it, and a stopped ` +
      `server reads that file as its \`dbfilename\`. Keep ${data} too while it has journals that are not empty.`,
  )
}

const KIB = 1024

const size = (bytes: number): string =>
  bytes < KIB * KIB ? `${Math.ceil(bytes / KIB)} KiB` : `${(bytes / KIB / KIB).toFixed(1)} MiB`

function fileLines({ files }: Manifest): string {
  const rows = files.map(({ name, bytes, schema_version }) => {
    const holds = databases.find(one => one.name === name)?.holds ?? ''
    return `  ${name}: ${holds} (${size(bytes)}, schema version ${schema_version})\n`
  })
  return rows.join('')
}

const backupText = (target: string, manifest: Manifest): string =>
  pasteable(`Backup written to ${target}:\n${fileLines(manifest)}Restore it with \`assay restore ${target}\`.\n`)

const restoredText = (directory: string, manifest: Manifest): string =>
  pasteable(
    `Restored to ${directory}, as of ${manifest.created_at}:\n${fileLines(manifest)}` +
      'Keys revoked since then are valid again. Check `assay keys list` before you start the service.\n',
  )

// `assay shares`: lists the links that share kept results, and ends them. Works beside a running service.
import type { Command } from 'commander'
import { visible } from '../base/visible.js'
import { readConfig } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import type { OwnedShare } from '../store/history.ts'
import { openKeptResults } from '../store/open_backend.ts'
import type { KeptHistory } from '../store/sql/history.ts'
import { columns } from './columns.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { configOption, dataOption, type KeptOptions, requireSound } from './options.ts'
import type { Output } from './output.ts'

interface ShareOptions extends KeptOptions {
  readonly json?: boolean
}

export function defineShares(shares: Command, { out }: Output): void {
  const subcommand = (name: string, description: string) =>
    dataOption(configOption(shares.command(name).description(description)))
      .option('--account <id>', 'only links of this account')
      .option('-j, --json', 'print JSON')

  subcommand('list', 'list the links that work').action((options: ShareOptions) =>
    withShares(options, async store => {
      const shares = (await store.shares(options)).map(shareRow)
      out(options.json ? `${JSON.stringify(shares)}\n` : `${shareTable(shares)}\n`)
    }),
  )
  subcommand('revoke [share]', 'end a link by its ID, or with --account all links of an account').action(
    async (id: string | undefined, options: ShareOptions) => {
      const selector = endedBy(id, options.account)
      await withShares(options, async store => {
        const revokedCount = await store.unshare(selector)
        if (revokedCount === 0) throw new CliError(EXIT.usage, 'no such link')
        out(options.json ? `${JSON.stringify({ revoked: revokedCount })}\n` : `Links that ended: ${revokedCount}.\n`)
      })
    },
  )
}

function endedBy(id: string | undefined, account: string | undefined): Parameters<KeptHistory['unshare']>[0] {
  if (id !== undefined) return { id, account }
  if (account !== undefined) return { account }
  throw new CliError(EXIT.usage, 'name a link, or an account with --account')
}

async function withShares(options: ShareOptions, work: (store: KeptHistory) => Promise<void>): Promise<void> {
  const { config, faults } = readConfig(options, readEnvironment())
  requireSound(faults)
  const store = await openKeptResults(config)
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

const shareRow = ({ id: shareId, created, ...rest }: OwnedShare) => ({
  share_id: shareId,
  ...rest,
  created_at: `${new Date(created).toISOString().slice(0, 19)}Z`,
})

function shareTable(shares: readonly ReturnType<typeof shareRow>[]): string {
  if (shares.length === 0) return 'No links.'
  return columns(
    shares.map(({ share_id, account, created_at, result_id, target }) => [
      share_id,
      account,
      created_at,
      result_id,
      visible(target),
    ]),
  )
}

// What `assay watch` prints.
import type { ShownDelivery, ShownWatch } from '../service/watch/terms.ts'
import { columns } from './columns.ts'

export interface OwnedWatch extends ShownWatch {
  /** Absent where a service answers, which shows only the watches of one account. */
  readonly account?: string
}

export interface AddedWatch extends OwnedWatch {
  readonly secret: string
}

export const addedText = ({ watch_id, target, every, format, account, secret }: AddedWatch): string =>
  [
    `Watch ${watch_id} of ${target}, every ${every}${account === undefined ? '' : `, account ${account}`}. A running service checks it within a minute.`,
    ...(format === 'email' ? [] : ['', `  ${secret}`, '', 'This secret signs its webhooks. It is not shown again.']),
  ].join('\n')

export const deliveredText = ({ delivery_id, attempts, last_attempt }: ShownDelivery): string =>
  `Delivered: ${delivery_id}, attempt ${attempts}, status ${last_attempt?.status}.`

export function watchTable(watches: readonly OwnedWatch[]): string {
  if (watches.length === 0) return 'No watches.'
  return columns(
    watches.map(watch => [
      watch.watch_id,
      watch.target,
      `every ${watch.every}`,
      stateText(watch),
      watch.format,
      watch.notify,
      watch.account ?? '',
    ]),
  )
}

function stateText({ stopped, last_failure, last_result }: ShownWatch): string {
  if (stopped !== null) return `stopped: ${stopped}`
  if (last_failure !== null) return `not checked: ${last_failure.code}`
  if (last_result === null) return 'not checked yet'
  return `${last_result.recommendation} (${last_result.verdict} ${last_result.risk_score})`
}

export function deliveryTable(deliveries: readonly ShownDelivery[]): string {
  if (deliveries.length === 0) return 'No deliveries.'
  return columns(
    deliveries.map(({ delivery_id, type, created_at, state, attempts, last_attempt, event }) => [
      delivery_id,
      created_at,
      state,
      `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
      last_attempt?.failure ?? '',
      event.data.changes[0]?.message ?? type,
    ]),
  )
}

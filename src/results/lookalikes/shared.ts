// What a look-alike shares with the original, from the results of both; and the order in which look-alikes deserve a look. Pure.

import { RECOMMENDATIONS } from '../../engine/scoring/recommendation.ts'
import { identify, ownerAt } from '../../targets/identity.ts'
import { type Result, recommendationOf } from '../bulk/record.ts'
import { valueAt } from '../diff/known.ts'

/** Each is null when it is unknown. */
export interface SharedTraits {
  /** Both pages have the same title. */
  readonly title: boolean | null
  /** Both sites have the same icon. */
  readonly icon: boolean | null
  /** A form sends what is entered to the original, or both send it to the same third site. */
  readonly form_target: boolean | null
  /** The look-alike leads to the original. */
  readonly redirects_to: boolean | null
  /** The original leads to the look-alike. */
  readonly redirected_from: boolean | null
  /** Both have a name server in common, as names of one owner do. */
  readonly name_servers: boolean | null
}

export interface Site {
  readonly name: string
  readonly result: Result
}

export function sharedOf(original: Site, other: Site): SharedTraits {
  const [owner, otherOwner] = [original, other].map(({ name }) => identify(name).owner)
  const titles = [original, other].map(({ result }) => titleOf(result))
  const icons = [original, other].map(({ result }) => valueAt(result, 'content_analysis.icon.sha256'))
  const [ends, otherEnds] = [original, other].map(({ result }) => endOf(result))
  return {
    title: titles[0] == null || titles[1] == null ? null : titles[0] === titles[1],
    icon: icons[0] == null || icons[1] == null ? null : icons[0] === icons[1],
    form_target: sharesForm(original, other),
    redirects_to: otherEnds == null ? null : otherEnds === owner,
    redirected_from: ends == null ? null : ends === otherOwner,
    name_servers: overlap(serversOf(original.result), serversOf(other.result)),
  }
}

/** Who owns the page that the visit ended at; null when there was none. */
function endOf(result: Result): string | null {
  const url = evaluatedUrl(result)
  return url === null ? null : ownerAt(url)
}

/** The URL of the page; null when none was seen. */
function evaluatedUrl(result: Result): string | null {
  const url = valueAt(result, 'content_analysis.evaluated_url') ?? valueAt(result, 'security_headers.evaluated_url')
  return typeof url === 'string' ? url : null
}

function titleOf(result: Result): string | null {
  const title = valueAt(result, 'content_analysis.title')
  return typeof title === 'string' ? title.trim().replace(/\s+/g, ' ').toLowerCase() : null
}

function serversOf(result: Result): readonly string[] | null {
  const servers = valueAt(result, 'dns_security.name_servers')
  return Array.isArray(servers) ? servers.filter(one => typeof one === 'string') : null
}

const overlap = (one: readonly string[] | null, other: readonly string[] | null): boolean | null =>
  one === null || other === null ? null : one.some(item => other.includes(item))

/** Owners of the sites that forms send to. */
function formOwners(result: Result): readonly string[] | null {
  const items = valueAt(result, 'content_analysis.forms.items')
  if (!Array.isArray(items)) return null
  return (items as readonly ({ readonly action?: unknown } | null)[]).flatMap(form =>
    typeof form?.action === 'string' ? (ownerAt(form.action) ?? []) : [],
  )
}

function sharesForm(original: Site, other: Site): boolean | null {
  const [own, others] = [original, other].map(({ result }) => formOwners(result))
  if (own == null || others == null) return null
  const [owner, otherOwner] = [original, other].map(({ name }) => identify(name).owner)
  return others.some(to => to !== otherOwner && (to === owner || own.includes(to)))
}

/** A look-alike with what decides its place. */
export interface RankedName {
  readonly name: string
  /** Null when it was not judged. */
  readonly result: Result | null
  readonly shared: SharedTraits | null
  readonly mail: boolean | null
}

/** What deserves a look first comes first; those that are as bad stay in their order. */
export const inOrder = <One extends RankedName>(all: readonly One[]): readonly One[] =>
  [...all].sort((one, other) => weightOf(other) - weightOf(one))

/** More for what is worse: the recommendation, then what it shares with the original, then the score. */
function weightOf({ result, shared, mail }: RankedName): number {
  if (result === null) return mail === true ? 1 : 0
  const alike = [shared?.title, shared?.icon, shared?.form_target].filter(one => one === true).length
  const own = shared?.redirects_to === true ? 1 : 0
  const severity = RECOMMENDATIONS.indexOf(recommendationOf(result))
  return severity * 10_000 + (alike - own) * 1_000 + Number(result['risk_score'] ?? 0) * 2 + (mail === true ? 1 : 0) + 2
}

// The DMARC policy that applies to a name: its own, or one found by the DNS tree walk (RFC 9989 sections 4.10 and 4.10.1).

import { type Ask, asked, records } from './ask.ts'
import type { DmarcDiscovery, DmarcStep } from './facts.ts'
import { hasVersion, parseTagList, tagValue } from './tag_list.ts'
import { readable } from './text.ts'

/** Labels the walk shortens a long name to, so that no name costs more than eight questions. */
const WALK_LABELS = 7
/** Texts of one name that are shown. */
const SHOWN_TEXTS = 5

const resemblesDmarc = (text: string) => /^\s{0,16}"?v\s?=\s?dmarc/i.test(text)

async function askAt(name: string, ask: Ask): Promise<DmarcStep> {
  const answer = await ask(`_dmarc.${name}`, 'TXT')
  const texts = [...records(answer)].sort()
  const versioned = texts.filter(text => hasVersion(text, 'DMARC1'))
  const lookalikes = texts.filter(text => resemblesDmarc(text) && !versioned.includes(text))
  const [only] = versioned
  return {
    name,
    ...asked(answer),
    count: versioned.length,
    texts: versioned.slice(0, SHOWN_TEXTS).map(text => readable(text)),
    lookalikes: lookalikes.slice(0, SHOWN_TEXTS).map(text => readable(text)),
    record: only !== undefined && versioned.length === 1 ? parseTagList(only) : null,
  }
}

/** The names above, longest first: a name of eight labels and more goes on with its last seven. */
export function walkNames(domain: string): string[] {
  const labels = domain.split('.')
  const above = labels.slice(-Math.min(labels.length - 1, WALK_LABELS))
  return labels.length < 2 ? [] : above.map((_, index) => above.slice(index).join('.'))
}

const psd = ({ record }: DmarcStep) => (record === null ? null : (tagValue(record, 'psd')?.toLowerCase() ?? 'u'))

/**
 * The parent whose record applies, by RFC 9989 section 4.10.2: `psd=n` ends the walk there; `psd=y` makes the name one
 * label below it the organizational domain; otherwise the record with the fewest labels is the organization's. A name on
 * the way that did not answer may hold any of these, so that none can be told.
 */
function appliedAbove(domain: string, parents: readonly DmarcStep[]): string | null {
  const stop = parents.findIndex(step => psd(step) === 'n' || psd(step) === 'y')
  const walked = stop < 0 ? parents : parents.slice(0, stop + 1)
  if (walked.some(({ status }) => status === 'unknown')) return null
  const last = walked.at(-1)
  const published = walked.filter(step => step.record !== null)
  if (stop < 0 || last === undefined || psd(last) === 'n') return published.at(-1)?.name ?? null
  const below = [domain, ...walked.map(step => step.name)].at(-2)
  return published.find(step => step.name === below)?.name ?? last.name
}

/** Asks at the name; only where that has no usable record, at all its parents at once. */
export async function discoverDmarc(domain: string, ask: Ask): Promise<DmarcDiscovery> {
  const own = await askAt(domain, ask)
  if (own.record !== null) return { steps: [own], applied: domain }
  if (own.status === 'unknown') return { steps: [own], applied: null }
  const parents = await Promise.all(walkNames(domain).map(name => askAt(name, ask)))
  return { steps: [own, ...parents], applied: appliedAbove(domain, parents) }
}

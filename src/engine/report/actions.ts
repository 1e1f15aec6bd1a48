// What to do: for who decides about a target before they accept or open it, and for its owner. Pure.
import { capital } from '../../base/labels.ts'
import type { Confidence } from '../scoring/confidence.ts'
import type { Recommendation } from '../scoring/recommendation.ts'
import type { SignalDetail } from '../scoring/scored.ts'
import { SERIOUS, severityRank } from '../scoring/severity.ts'
import type { ThreatType } from '../scoring/threats.ts'
import type { Presentations } from './presentations.ts'
import { applies, type Coverage, type Gap, gapOf, reasonWords, unseenSections } from './reasons.ts'
import type { Report } from './schema.ts'

type Action = Report['before'][number]
type Fix = Report['fixes'][number]

/** Actions of a list: as many as a person keeps in mind. */
const MOST = 3
/** Warnings of a review at most, so that there is room for what settles it. */
const WARNINGS = 2

/** A warning that makes those about the page itself needless. */
export const DO_NOT_OPEN = 'Do not open it.'

const ACCEPT = 'Accept or open it: nothing suspicious was found.'
const ACCEPT_IN_PART = 'Accept or open it with the usual care: nothing serious was found, but not everything was seen.'
const ACCEPT_WITH_CARE = 'Accept or open it with the usual care: nothing serious was found.'
const BLOCK = 'Do not open it. Refuse mail, links and sign-ups that use it.'
const SENDER = 'Tell whoever sent it to you: their account may be abused.'
const WAIT = 'Hold the sign-up, mail or payment until that is settled.'
const UNDELIVERABLE = 'Ask for another e-mail address: mail to this one cannot be delivered.'
const ASK = 'Ask who is behind it, by a phone number or address that you already have.'

/** Steps for people who already fell for the threat, the most urgent first. */
const AFTERWARDS: readonly (readonly [threat: ThreatType, text: string])[] = [
  ['phishing', 'If anyone entered a password or card details there, change the password and block the card now.'],
  ['malware', 'If anyone opened it, have the device examined.'],
  ['botnet', 'If one of your devices talks to it, take the device off the network and examine it.'],
  ['scam', 'If anyone paid, ask the bank now to stop the payment.'],
]

/** What settles a review that something unseen causes. */
const SETTLES_GAP: Readonly<Record<Gap, string>> = {
  withheld: 'Open it in an isolated browser: the site shows its page only to people.',
  drawn: 'Open it in an isolated browser, and enter nothing: only a browser shows the whole page.',
  silent: 'Check it again in an hour: it did not answer properly.',
  ours: 'Check it again in a few minutes: this service had not loaded all its data.',
  asked: 'Check it again without “visit=false”, or open it in an isolated browser.',
  misnamed: 'Ask for the right name, by a phone number or address that you already have.',
  inside: 'Ask its owner for an address that leads there from the Internet.',
}
/** These reasons are the subject of the review, not missing evidence. */
const LASTING: ReadonlySet<Gap> = new Set<Gap>(['misnamed', 'inside'])

/**
 * What settles a review that a signal causes, by the group of the signal. Of several serious signals the one of the first group
 * decides: a new certificate settles nothing where a form sends passwords to somebody else.
 */
const SETTLES_GROUP: ReadonlyMap<string, string> = new Map([
  ['reputation', 'Find out what the list says about it, or check it again tomorrow: lists remove fixed sites.'],
  ['content', 'Open it only in an isolated browser, and enter nothing.'],
  ['identity', ASK],
  ['network', 'Check it again in an hour: such faults are often fixed quickly.'],
  ['transport', 'Check it again tomorrow, or ask its owner: such faults are often fixed quickly.'],
])
const SETTLING_ORDER = [...SETTLES_GROUP.keys()]

/** How the actions of one kind begin: they ask the same of the reader, so that a list has one of each. */
const KINDS: readonly RegExp[] = [
  /^(?:Do not enter|Do not fill in|Enter nothing)\b/,
  /^(?:Do not accept|Hold the sign-up)\b/,
  /^(?:Ask who|Ask for proof of who|Find out who)\b/,
  /^Do not (?:run|paste)\b/,
  /^Ask visitors\b/,
]
/** Marks an action that leaves a choice to the reader. */
const CONDITION = /\b(?:unless|before you|until)\b/

export interface Decision {
  readonly recommendation: Recommendation
  readonly verdict: string
  readonly confidence: Confidence
  /** Absent in results of earlier versions. */
  readonly threat_types?: readonly ThreatType[]
  /** Of an e-mail address only. */
  readonly email?: { readonly deliverable: boolean | null }
  readonly coverage: Coverage
}

/** At most three, the strongest first, each once; for a review, at least one that settles it. `found` is sorted by severity. */
export function readerActions(
  signals: readonly SignalDetail[],
  decision: Decision,
  presentations: Pick<Presentations, 'signal'>,
): Action[] {
  const actions = actionsOf(signals, decision, presentations)
  if (decision.email?.deliverable !== false || decision.recommendation === 'block') return actions
  const undeliverable = { text: UNDELIVERABLE, reason: 'The domain receives no mail', signal: null }
  return decision.recommendation === 'allow' ? [undeliverable] : [undeliverable, ...actions].slice(0, MOST)
}

function actionsOf(
  signals: readonly SignalDetail[],
  decision: Decision,
  { signal }: Pick<Presentations, 'signal'>,
): Action[] {
  const { recommendation, confidence, threat_types = [], coverage } = decision
  const plain = (text: string): Action => ({ text, reason: null, signal: null })
  const warnings = signals.flatMap(({ id, title }) => {
    const { warning } = signal(id)
    return warning === null ? [] : [{ text: warning, reason: title, signal: id }]
  })
  if (recommendation === 'allow') return acceptance(signals, confidence, warnings)
  if (recommendation === 'block') {
    const afterwards = AFTERWARDS.filter(([threat]) => threat_types.includes(threat)).map(([, text]) => plain(text))
    return [{ ...(warnings[0] ?? plain('')), text: BLOCK }, ...afterwards, plain(SENDER)].slice(0, MOST)
  }
  const doNotOpen = warnings.find(({ text }) => text === DO_NOT_OPEN)
  const first = doNotOpen === undefined ? ofDistinctKinds(warnings).slice(0, WARNINGS) : [doNotOpen]
  const settling = settles(signals, coverage, confidence)
  const fits = doNotOpen === undefined || settling.isRemote
  return ofDistinctKinds([...first, ...(fits ? [settling.action] : []), plain(WAIT), plain(ASK)]).slice(0, MOST)
}

/** Of the warnings, those about the way to the site: the others ask who is behind it, which an acceptance has answered. */
function acceptance(signals: readonly SignalDetail[], confidence: Confidence, warnings: readonly Action[]): Action[] {
  const isOfTheWay = new Set(signals.flatMap(({ id, group }) => (group === 'transport' ? [id] : [])))
  const careful = ofDistinctKinds(warnings.filter(({ signal }) => signal !== null && isOfTheWay.has(signal)))
  const isMinor = signals.every(({ severity }) => severityRank(severity) > severityRank('medium'))
  const text = confidence !== 'high' ? ACCEPT_IN_PART : isMinor ? ACCEPT : ACCEPT_WITH_CARE
  return [{ text, reason: null, signal: null }, ...careful].slice(0, MOST)
}

const kindOf = (text: string): string => String(KINDS.find(beginning => beginning.test(text)) ?? text)

/** One of each kind, in their order: the first that leaves no choice, else the first. */
function ofDistinctKinds(actions: readonly Action[]): Action[] {
  const kinds = new Set(actions.map(({ text }) => kindOf(text)))
  return [...kinds].flatMap(kind => {
    const alike = actions.filter(({ text }) => kindOf(text) === kind)
    const [first] = alike
    return alike.find(({ text }) => !CONDITION.test(text)) ?? first ?? []
  })
}

/** What settles a review, and whether it can be done without opening the target. */
function settles(
  signals: readonly SignalDetail[],
  { sections }: Coverage,
  confidence: Confidence,
): { readonly action: Action; readonly isRemote: boolean } {
  const gaps = gapsOf(sections)
  const gap = gaps.find(([kind]) => LASTING.has(kind)) ?? (confidence === 'high' ? undefined : gaps[0])
  if (gap !== undefined) {
    const [kind, reason] = gap
    const words = reasonWords({ reason })
    const action = { text: SETTLES_GAP[kind], reason: words === null ? null : capital(words), signal: null }
    return { action, isRemote: kind !== 'withheld' && kind !== 'drawn' && kind !== 'asked' }
  }
  const serious = signals.filter(({ severity }) => SERIOUS.has(severity))
  const [gravest = signals[0]] = serious.toSorted((a, b) => settlingRank(a) - settlingRank(b))
  const group = gravest?.group ?? ''
  const text = SETTLES_GROUP.get(group) ?? ASK
  return {
    action: { text, reason: gravest?.title ?? null, signal: gravest?.id ?? null },
    isRemote: group !== 'content',
  }
}

/** Groups of plugins, which have no words here, come last. */
function settlingRank({ group }: SignalDetail): number {
  const at = SETTLING_ORDER.indexOf(group)
  return at === -1 ? SETTLING_ORDER.length : at
}

/** What is unseen of what applies, by kind: what only a browser shows, then the kind with most sections. */
function gapsOf(sections: Coverage['sections']): (readonly [Gap, reason: string])[] {
  const kinds = unseenSections(sections).flatMap(([, { status, reason }]) => {
    const kind = reason === null ? null : gapOf(reason)
    if (reason === null || kind === null) return []
    return applies({ status, reason }) || LASTING.has(kind) ? [[kind, reason] as const] : []
  })
  const count = (gap: Gap) => kinds.filter(([kind]) => kind === gap).length
  const byBrowser = (gap: Gap) => Number(gap === 'withheld' || gap === 'drawn')
  return kinds.toSorted(([a], [b]) => byBrowser(b) - byBrowser(a) || count(b) - count(a))
}

/** For the owner: each change once, with all the signals that it fixes, those that gain most first. */
export function ownerFixes(signals: readonly SignalDetail[], { signal }: Pick<Presentations, 'signal'>): Fix[] {
  const ids = new Set(signals.map(({ id }) => id))
  /** Signals that the change for another one fixes. */
  const coveredBy = new Map(
    signals.flatMap(({ id }) => signal(id).also_fixes.flatMap(other => (ids.has(other) ? [[other, id] as const] : []))),
  )
  const advices = signals.flatMap(detail => {
    const { advice } = signal(coveredBy.get(detail.id) ?? detail.id)
    return advice === null ? [] : [{ advice, detail }]
  })
  const texts = new Set(advices.map(({ advice }) => advice))
  return [...texts]
    .map(text => [text, advices.filter(({ advice }) => advice === text).map(({ detail }) => detail)] as const)
    .map(([text, fixedSignals]) => ({
      text: toOwner(text),
      severity:
        fixedSignals.toSorted((a, b) => severityRank(a.severity) - severityRank(b.severity))[0]?.severity ?? 'info',
      points: Math.round(fixedSignals.reduce((sum, { points }) => sum + points, 0) * 10) / 10,
      signals: fixedSignals.map(({ id, title, section }) => ({ signal: id, title, section })),
    }))
    .toSorted((a, b) => b.points - a.points || severityRank(a.severity) - severityRank(b.severity))
}

/** `If the domain is yours and receives no mail, publish …`. */
const IF_YOURS = /^If (?:it|the [a-z ]+) (?:is|are) yours(?: and (?<more>[^,]+))?, (?<rest>.+)$/su

/** Advice without its condition that the target is the reader's, which the place of the list says. */
function toOwner(advice: string): string {
  const { more, rest } = IF_YOURS.exec(advice)?.groups ?? {}
  if (rest === undefined) return advice
  return more === undefined ? capital(rest) : `If ${/^you\b/.test(more) ? '' : 'it '}${more}, ${rest}`
}

/** Why a person must look although the verdict may be mild; null without a review. */
export function meaningOf(
  signals: readonly SignalDetail[],
  { recommendation, verdict, confidence }: Decision,
): string | null {
  if (recommendation !== 'review') return null
  if (verdict !== 'safe') return 'The risk is neither low nor proven: a person must decide.'
  if (signals.some(({ severity }) => SERIOUS.has(severity)))
    return 'The risk score is low, but one finding needs a person to look at it.'
  if (confidence === 'low') return 'The risk score is low, but too little was seen to allow it.'
  return 'The risk score is low, but a deciding source was not read.'
}

// The log-in of a page: the form or fields that ask who visitors are or for a secret, and the words around them.
import type { Document } from '../../src/engine/plugin.ts'
import { type BrandSight, words } from './brand_sights.ts'
import { MEANS } from './roles.ts'
import { isBrandsOwn, isMeans, namesAsOwn } from './said.ts'

/** Places are characters of the shown text before them. Texts are as `words` writes them. */
export interface LogIn {
  readonly from: number
  readonly to: number
  /** Text, labels and hints of the form that asks, and its buttons. */
  readonly inside: string
  /** The text right before it. */
  readonly before: string
  /** The last heading before it, if near. */
  readonly heading: string
}

/** Characters before a log-in, and of a form after its last field: its buttons and links. */
const BEFORE = 200
const AFTER = 160
/** Characters between fields of one log-in outside of any form. */
const NEAR = 200
/** Characters from the heading of a log-in to its form. */
const HEADING_REACH = 400
const HEADINGS = 40
const INSIDE = 2_048

const SECRET =
  /pass(?:w(?:or)?d|code|wd)|\bpwd?\b|\bpin\b|cvv|cvc|card ?num|\bcc\b|\botp\b|\bssn\b|seed|phrase|mnemonic|private ?key|contrase|senha|kennwort|passe/i
const ACCOUNT = /user|login|e-?mail|phone|mobile|account|identif|\bid\b/i
const NOT_ASKING: ReadonlySet<string> = new Set(['hidden', 'checkbox', 'radio'])

type DrawnField = NonNullable<Document['look']>['fields'][number]

const saying = ({ name, placeholder, autocomplete }: DrawnField): string =>
  `${name.replace(/[_\-[\].]+/g, ' ')} ${placeholder} ${autocomplete}`

/** The field that decides which log-in is meant: one for a secret before one for an account. */
const askedOf = (fields: readonly DrawnField[]): DrawnField | undefined =>
  fields.find(({ type }) => type === 'password') ??
  fields.find(one => SECRET.test(saying(one))) ??
  fields.find(one => one.type === 'email' || one.type === 'tel' || ACCOUNT.test(saying(one)))

/** Null for a page without one, and in recordings that do not say where fields stand. */
export function logInOf({ look, headings }: Document): LogIn | null {
  const fields = look?.fields.filter(({ type }) => !NOT_ASKING.has(type)) ?? []
  const requests = askedOf(fields)
  if (look === undefined || requests?.at === undefined) return null
  const { at, form } = requests
  const same = fields.filter(one => one.form === form && (form !== undefined || Math.abs((one.at ?? 0) - at) <= NEAR))
  const places = same.map(one => one.at ?? 0)
  const [begin, end] = look.spans?.[form ?? -1] ?? [Math.min(...places), look.shown.length]
  // Some sites have one form around the whole page.
  const from = Math.max(begin, Math.min(...places.filter(one => one >= at - HEADING_REACH)) - BEFORE)
  const to = Math.min(end, Math.max(...places) + AFTER)
  const texts = headings.slice(0, HEADINGS).flatMap(({ text }) => (text === '' ? [] : [text]))
  // Outside of a form, the next heading ends the log-in.
  const next = form === undefined ? texts.map(text => look.shown.indexOf(text, to - AFTER)).filter(one => one > at) : []
  const inside = look.shown.slice(from, Math.min(to, ...next))
  const near = (text: string) => look.shown.lastIndexOf(text, from)
  return {
    from,
    to,
    inside: words([inside, ...same.map(({ placeholder }) => placeholder)].join(' | '), INSIDE),
    before: words(look.shown.slice(Math.max(0, from - BEFORE), from)),
    heading: words(texts.findLast(text => near(text) >= Math.max(0, from - HEADING_REACH)) ?? ''),
  }
}

const LOG_IN_TO =
  /(?:log|sign|logon|signin|login|anmelden|einloggen|connecte[rz]|connexion|identifie[rz]|sesion|acced\w+|acess\w+|entrar?|entra|inloggen|aanmelden|zaloguj|войти|вход|giris|access|verify|confirm|update|unlock|validate)(?: \p{L}+){0,4} $/u
const LEAD = 60

/** The log-in says that it is the brand's. */
export function isLogInOf({ inside, before, heading }: LogIn, sight: Pick<BrandSight, 'brand' | 'phrases'>): boolean {
  if (!MEANS.has(sight.brand.name) && namesAsOwn(inside, sight)) return true
  if (namesAsOwn(heading, sight) && isBrandsOwn(heading, sight)) return true
  return sight.phrases.some(phrase =>
    [before, inside].some(text => {
      const at = text.lastIndexOf(phrase)
      const lead = text.slice(Math.max(0, at - LEAD), at + 1)
      return at !== -1 && LOG_IN_TO.test(lead) && !isMeans(lead)
    }),
  )
}

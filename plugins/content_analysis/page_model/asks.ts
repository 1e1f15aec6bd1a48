// What a page asks its visitors for, by the type, name, purpose, hint and label of its fields, and by its scripts.
import type { Document } from '../../../src/engine/plugin.ts'

/** Kinds of secrets, and the words that fields for them have, in several languages. */
const WORDS = {
  password:
    /pass(?:w(?:or)?d|code|wd)|\bpwd?\b|passwort|kennwort|mot[ _-]?de[ _-]?passe|contrase|senha|parola|wachtwoord|пароль|密码|パスワード/i,
  card: /card[ _-]?(?:num|no\b|holder|owner)|\bcc[ _-]?(?:num|number|no)\b|credit[ _-]?card|debit[ _-]?card|\bpan\b|num[eé]ro de carte|kartennummer|tarjeta|cartao|numero carta|\bccnum|cardnumber/i,
  code: /\bcvv2?\b|\bcvc2?\b|\bcsc\b|security[ _-]?code|\bpin\b|\batm\b|\botp\b|one[ _-]?time|\bsms\b|verification[ _-]?code|\b2fa\b|\btan\b|token code|auth(?:entication)?[ _-]?code/i,
  expiry:
    /\bexp(?:iry|iration|date|[ _-]?(?:m|y|month|year|date))?\b|mm ?\/ ?yy|valid thru|date d'expiration|ablaufdatum/i,
  identity:
    /\bssn\b|social[ _-]?security|\bdob\b|birth|maiden|passport|driver.?s?[ _-]?licen|national[ _-]?id|\bsin\b|tax[ _-]?id|sort[ _-]?code|account[ _-]?number|routing|\biban\b|date de naissance|geburtsdatum|\bcpf\b|identity/i,
  seed: /seed[ _-]?phrase|recovery[ _-]?phrase|mnemonic|secret[ _-]?phrase|private[ _-]?key|passphrase|keystore|12[ _-]?words?|24[ _-]?words?/i,
  account:
    /user(?:name|id)?\b|\blogin\b|e-?mail|\bphone\b|mobile|\bacc(?:oun)?t\b|online[ _-]?id|benutzer|identifiant|usuario|correo|telefon|логин/i,
  mailPassword: /e-?mail[ _-]?pass|mail[ _-]?password|password[ _-]?of[ _-]?(?:your )?e-?mail/i,
  mother: /mother|mmn\b|maiden/i,
  address:
    /address|\bcity\b|\bzip\b|postal|\bstate\b|street|first[ _-]?name|last[ _-]?name|full[ _-]?name|\bfname\b|\blname\b/i,
  search: /\bsearch|^q$|^s$|query|suche|recherche|buscar/i,
  upload: /upload|selfie|document/i,
} as const

export type AskKind = keyof typeof WORDS

/** What the fields of a page ask for, in numbers of fields. */
export interface PageAsks {
  /** Fields that ask for each kind. */
  readonly fields: Readonly<Record<AskKind, number>>
  /** Fields that visitors can see. */
  readonly visible: number
  readonly hidden: number
  readonly passwords: number
  /** A field of another type asks for a password. */
  readonly disguised: boolean
  readonly hasToken: boolean
  readonly checkboxes: number
}

const SECRETS: readonly AskKind[] = ['password', 'card', 'code', 'identity', 'seed']

/** Whether the page asks for a password, card, code, identity or recovery phrase. */
export const asksForSecret = ({ fields, passwords }: PageAsks): boolean =>
  passwords > 0 || SECRETS.some(one => fields[one] > 0)

/** Counts what the fields of a page ask for. */
export function asksOf(document: Document): PageAsks {
  const fields = Object.fromEntries(Object.keys(WORDS).map(kind => [kind, 0])) as Record<AskKind, number>
  const { look } = document
  if (look === undefined) {
    const inputs = [...document.forms.flatMap(form => form.inputs), ...document.formless_inputs]
    const passwords = inputs.filter(type => type === 'password').length
    const hiddenCount = inputs.filter(type => type === 'hidden').length
    fields.password = passwords
    return {
      fields,
      visible: inputs.length - hiddenCount,
      hidden: hiddenCount,
      passwords,
      disguised: false,
      hasToken: false,
      checkboxes: 0,
    }
  }
  const labels = look.labels.join(' | ')
  let [visible, hiddenInputs, passwords, checkboxes] = [0, 0, 0, 0]
  let hasToken = false
  let isDisguised = look.masked_text
  for (const { type, name, autocomplete, placeholder } of look.fields) {
    if (type === 'hidden') {
      hiddenInputs += 1
      hasToken ||= /csrf|_token|authenticity|requestverification|viewstate|nonce/i.test(name)
      continue
    }
    if (type === 'checkbox' || type === 'radio') {
      checkboxes += 1
      continue
    }
    visible += 1
    if (type === 'password') passwords += 1
    const text = `${name.replace(/[_\-[\].]+/g, ' ')} ${autocomplete} ${placeholder}`
    for (const kind of Object.keys(WORDS) as AskKind[]) if (WORDS[kind].test(text)) fields[kind] += 1
    if (type === 'search') fields.search += 1
    if (type === 'email' || type === 'tel') fields.account += 1
    if (type === 'file') fields.upload += 1
    isDisguised ||= type === 'text' && /pass(?:w(?:or)?d|wd)|\bpwd\b/.test(name) && !/hint|forgot|user/.test(name)
    if (autocomplete.startsWith('cc-')) fields.card += 1
  }
  // Labels describe fields without a name or placeholder of their own.
  if (visible > 0) {
    for (const kind of ['card', 'code', 'identity', 'seed'] as const)
      if (fields[kind] === 0 && WORDS[kind].test(labels)) fields[kind] = 1
  }
  const scripts = document.inline_scripts.join(' ').slice(0, 32_768)
  isDisguised ||= /\.type\s{0,3}=\s{0,3}["']password["']/.test(scripts) && passwords === 0
  fields.password = Math.max(fields.password, passwords)
  return { fields, visible, hidden: hiddenInputs, passwords, disguised: isDisguised, hasToken, checkboxes }
}

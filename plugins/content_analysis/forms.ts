// Forms: whether they ask for a password, and where they submit it.
import { type Document, nullable, type Static, Type } from '../../src/engine/plugin.ts'
import { isHttp, resolveUrl, siteOf, withoutQuery } from './text.ts'

/** The section lists at most this many forms; all of them are evaluated. */
export const FORMS_LISTED = 5
const ACTION_LENGTH = 200

/** A form as the section lists it. */
export const FormSchema = Type.Object(
  {
    method: Type.Enum(['get', 'post', 'dialog'], { description: 'How it is sent.' }),
    action: nullable(
      Type.String({
        description:
          'Absolute URL without its query; null if it is not an http(s) URL. If a button submits to another site or to a data URL, that destination is shown.',
      }),
    ),
    destination: Type.Enum(['same_site', 'other_site', 'data', 'script', 'other'], {
      description:
        '`data`: a data or blob URL; `script`: a javascript URL; `other`: any other scheme or an invalid URL.',
    }),
    has_password: Type.Boolean({ description: 'It has a password field.' }),
  },
  { additionalProperties: false },
)

export type FormDestination = Static<typeof FormSchema>['destination']

/** A form with what it asks for and where it sends that. */
export interface SeenForm {
  readonly method: 'get' | 'post' | 'dialog'
  /** Every possible destination: the form's own action first, then those of its buttons. */
  readonly goals: readonly [Goal, ...Goal[]]
  readonly hasPassword: boolean
}

/** Where a form or one of its buttons submits to. */
export interface Goal {
  readonly destination: FormDestination
  /** Null if it is not an http(s) URL. */
  readonly to: URL | null
}

/** Resolves the actions of every form as browsers do: an empty action is the document itself (HTML, form submission algorithm). */
export function seeForms({
  forms,
  url,
  base,
  frame = url,
}: Pick<Document, 'forms' | 'url' | 'base' | 'frame'>): SeenForm[] {
  const page = resolveUrl(url, url)
  const against = page === null ? url : (resolveUrl(base ?? '', url)?.href ?? url)
  // Shop pages repeat one action in every product's form, so each action is resolved once.
  const goals = new Map<string, Goal>()
  const goalOf = (action: string | null): Goal => {
    const text = action?.trim() ?? ''
    const goal = goals.get(text) ?? see(text === '' ? resolveUrl(frame, frame) : resolveUrl(text, against), page)
    goals.set(text, goal)
    return goal
  }
  return forms.map(({ action, formactions, method, inputs }) => ({
    method: method === 'post' || method === 'dialog' ? method : 'get',
    goals: [goalOf(action), ...formactions.map(goalOf)],
    hasPassword: inputs.includes('password'),
  }))
}

const see = (to: URL | null, page: URL | null): Goal => ({
  destination: destinationOf(to, page),
  to: to !== null && isHttp(to) ? to : null,
})

/** The riskiest destination of a form: data URLs first, then other sites. */
const riskiest = ({ goals }: SeenForm): Goal =>
  goals.find(({ destination }) => destination === 'data') ??
  goals.find(({ destination }) => destination === 'other_site') ??
  goals[0]

const SCHEMES: Readonly<Record<string, FormDestination>> = { 'data:': 'data', 'blob:': 'data', 'javascript:': 'script' }

function destinationOf(to: URL | null, page: URL | null): FormDestination {
  if (to === null || page === null) return 'other'
  if (!isHttp(to)) return SCHEMES[to.protocol] ?? 'other'
  return siteOf(to) === siteOf(page) ? 'same_site' : 'other_site'
}

/** Lists forms with a password field first, because readers look for those. */
export const listForms = (forms: readonly SeenForm[]): Static<typeof FormSchema>[] =>
  [...forms.filter(({ hasPassword }) => hasPassword), ...forms.filter(({ hasPassword }) => !hasPassword)]
    .slice(0, FORMS_LISTED)
    .map(form => {
      const { destination, to } = riskiest(form)
      const action = to && withoutQuery(to, ACTION_LENGTH)
      return { method: form.method, action, destination, has_password: form.hasPassword }
    })

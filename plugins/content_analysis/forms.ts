// Forms: what they ask for and where they send it.
import { type Document, type Static, Type } from '../../src/engine/plugin.ts'
import { isHttp, resolveUrl, siteOf, withoutQuery } from './text.ts'

/** Forms that a section lists; all of them are judged. */
export const FORMS_LISTED = 5
const ACTION_LENGTH = 200

export const FormSchema = Type.Object(
  {
    method: Type.Enum(['get', 'post', 'dialog']),
    action: Type.Union([
      Type.String({
        description:
          'Absolute, without its query; null when it is no http(s) URL. One on another site, or a data URL, where any button leads there.',
      }),
      Type.Null(),
    ]),
    destination: Type.Enum(['same_site', 'other_site', 'data', 'script', 'other'], {
      description: '`data`: a data or blob URL; `script`: javascript; `other`: any other scheme, or no URL.',
    }),
    has_password: Type.Boolean(),
  },
  { additionalProperties: false },
)

export type Destination = Static<typeof FormSchema>['destination']

export interface SeenForm {
  readonly method: 'get' | 'post' | 'dialog'
  /** Every place it may be sent to: its own action first, then those of its buttons. */
  readonly goals: readonly [Goal, ...Goal[]]
  readonly hasPassword: boolean
}

export interface Goal {
  readonly destination: Destination
  /** Null when it is no http(s) URL. */
  readonly to: URL | null
}

/** Every form, its actions resolved as browsers do: an empty one is the page itself (HTML, form submission algorithm). */
export function seeForms({ forms, url, base }: Pick<Document, 'forms' | 'url' | 'base'>): SeenForm[] {
  const page = resolveUrl(url, url)
  const against = page === null ? url : (resolveUrl(base ?? '', url)?.href ?? url)
  // All products of a shop go into one cart.
  const seen = new Map<string, Goal>()
  const goalOf = (action: string | null): Goal => {
    const written = action?.trim() ?? ''
    const goal = seen.get(written) ?? see(written === '' ? page : resolveUrl(written, against), page)
    seen.set(written, goal)
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

/** Where a reader should look: a form that may go to another site is not told by a button that stays. */
const mostTelling = ({ goals }: SeenForm): Goal =>
  goals.find(({ destination }) => destination === 'data') ??
  goals.find(({ destination }) => destination === 'other_site') ??
  goals[0]

const SCHEMES: Readonly<Record<string, Destination>> = { 'data:': 'data', 'blob:': 'data', 'javascript:': 'script' }

function destinationOf(to: URL | null, page: URL | null): Destination {
  if (to === null || page === null) return 'other'
  if (!isHttp(to)) return SCHEMES[to.protocol] ?? 'other'
  return siteOf(to) === siteOf(page) ? 'same_site' : 'other_site'
}

/** Forms with a password field come first, for they are what a reader looks for. */
export const listForms = (forms: readonly SeenForm[]): Static<typeof FormSchema>[] =>
  [...forms.filter(({ hasPassword }) => hasPassword), ...forms.filter(({ hasPassword }) => !hasPassword)]
    .slice(0, FORMS_LISTED)
    .map(form => {
      const { destination, to } = mostTelling(form)
      const action = to && withoutQuery(to, ACTION_LENGTH)
      return { method: form.method, action, destination, has_password: form.hasPassword }
    })

// Products that their operators run on hosts of their own: mail, remote access, administration. The maker's name on such a
// log-in is that of the product, and it imitates nobody.
import { type Document, dataFile, expression, type Static, Type } from '../../src/engine/plugin.ts'
import data from './data/products.json' with { type: 'json' }
import { isHttp, resolveUrl } from './text.ts'

const ProductEntry = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    makers: Type.Optional(Type.Array(Type.String(), { minItems: 1, description: 'Brands whose name it shows.' })),
    action: Type.Optional(
      expression({ description: 'Where its log-in form goes: a path, and its query, on the page’s own host.' }),
    ),
    any_case: Type.Optional(Type.Literal(true, { description: 'The case of letters in `action` does not matter.' })),
    fields: Type.Optional(
      Type.Array(Type.String(), { minItems: 1, description: 'Names of fields that only it has; all must be there.' }),
    ),
  },
  { additionalProperties: false, anyOf: [{ required: ['action'] }, { required: ['fields'] }] },
)

/** From the log-in pages that each product ships. A kit that copies one sends its form elsewhere and renames its fields. */
export const ProductsFile = dataFile({ products: Type.Array(ProductEntry, { minItems: 1 }) })

/** A product that runs on hosts of its operators, known by its forms. */
export interface Product {
  readonly name: string
  readonly makers?: readonly string[]
  readonly action: RegExp | null
  readonly fields?: readonly string[]
}

const products: readonly Product[] = (data as Static<typeof ProductsFile>).products.map(
  ({ action, any_case, ...product }) => ({
    ...product,
    action: action === undefined ? null : new RegExp(action, any_case ? 'i' : ''),
  }),
)

/** The product whose log-in this is; null if it is none of those that are known. */
export function productOf({ look, url, base }: Document, page: URL): Product | null {
  if (look === undefined) return null
  const against = resolveUrl(base ?? '', url)?.href ?? url
  const own = look.actions.flatMap(action => {
    const to = resolveUrl(action, against)
    return to !== null && isHttp(to) && to.hostname === page.hostname ? [`${to.pathname}${to.search}`] : []
  })
  // The form goes to the host itself, or a script sends it.
  const staysHere = own.length === look.actions.length
  const fields = new Set(look.fields.flatMap(({ name }) => [name, ...name.split(' ')]))
  const isOf = ({ action, fields: requiredFields }: Product): boolean =>
    staysHere &&
    (action === null || own.some(path => action.test(path))) &&
    (requiredFields === undefined || requiredFields.every(name => fields.has(name)))
  return products.find(isOf) ?? null
}

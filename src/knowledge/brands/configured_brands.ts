// Brands that the operator adds in the configuration.
import { type Static, Type } from 'typebox'
import { type Brand, type BrandWord, completeBrand } from './brand.ts'

/**
 * An option with this schema also receives the `brands` of the configuration, so that judgements of names and pages use
 * the same brands.
 */
export const ConfiguredBrands = Type.Array(
  Type.Object(
    {
      brand: Type.String({ minLength: 1, maxLength: 64 }),
      names: Type.Array(Type.String({ minLength: 3, maxLength: 64 }), {
        minItems: 1,
        maxItems: 20,
        description: 'Names of the brand: `acme bank` is found in `acmebank-login.com` and in the text of a page.',
      }),
      domains: Type.Array(Type.String({ minLength: 3, maxLength: 253 }), {
        minItems: 1,
        maxItems: 100,
        description: 'Domains of the brand; all names below them belong to it too.',
      }),
      everyday: Type.Optional(
        Type.Boolean({ description: 'The names are also everyday words: alone in a domain name they prove nothing.' }),
      ),
    },
    { additionalProperties: false },
  ),
  { default: [], maxItems: 100, description: 'Additional brands that names and pages may imitate.' },
)

export type ConfiguredBrands = Static<typeof ConfiguredBrands>

const brandsByConfig = new WeakMap<ConfiguredBrands, readonly Brand[]>()

/** Returns the same brands for the same list object, so that indexes of them are built once. */
export function configuredBrands(brandConfig: ConfiguredBrands): readonly Brand[] {
  const cachedBrands = brandsByConfig.get(brandConfig)
  if (cachedBrands) return cachedBrands
  const brands = brandConfig.map(brandOf)
  brandsByConfig.set(brandConfig, brands)
  return brands
}

const brandOf = ({ brand, names, domains, everyday = false }: ConfiguredBrands[number]): Brand =>
  completeBrand({
    name: brand,
    domains: domains.map(domain => domain.toLowerCase()),
    uploads: [],
    brandWords: names.flatMap(name => wordsOf(name.toLowerCase(), everyday)),
    family: false,
  })

/** Everyday words prove nothing in a domain name. On a page, the operator asked to look for them. */
const wordsOf = (text: string, everyday: boolean): BrandWord[] =>
  everyday
    ? [
        { text, kind: 'word', in: 'names' },
        { text, kind: 'distinctive', in: 'pages' },
      ]
    : [{ text, kind: 'distinctive' }]

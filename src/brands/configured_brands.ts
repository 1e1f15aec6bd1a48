// Brands that the operator adds in the configuration.
import { type Static, Type } from 'typebox'
import type { Brand } from './brand.ts'

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

const made = new WeakMap<ConfiguredBrands, readonly Brand[]>()

/** Returns the same brands for the same list object, so that indexes of them are built once. */
export function configuredBrands(given: ConfiguredBrands): readonly Brand[] {
  const known = made.get(given)
  if (known) return known
  const brands = given.map(brandOf)
  made.set(given, brands)
  return brands
}

const brandOf = ({ brand, names, domains, everyday = false }: ConfiguredBrands[number]): Brand => {
  const phrases = names.map(name => name.toLowerCase())
  return {
    name: brand,
    words: [...new Set(phrases.map(phrase => phrase.replace(/[^a-z0-9]+/g, '')))].filter(word => word.length >= 3),
    domains: domains.map(domain => domain.toLowerCase()),
    everyday,
    phrases,
    family: false,
  }
}

// my_section: reports the length of the name. Change its evidence, its fields and its weights.
import { analyzer, raise, Type } from 'assay/plugin'

/** All about a signal. `when` says whether it applies to what `analyze` found. */
const signals = {
  my_section_long_name: {
    weight: 3,
    group: 'identity',
    severity: 'low',
    title: 'The name is long',
    advice: 'Read the whole name before you trust it.',
    when: ({ characters, long }) => characters >= long && { detail: `The name has ${characters} characters.` },
  },
}

export default analyzer({
  name: 'my_section',
  description: 'Reports the length of the name.',
  targets: ['domain'],
  needs: ['addresses'],
  schema: Type.Object(
    { characters: Type.Integer({ minimum: 1 }), addresses: Type.Integer({ minimum: 0 }) },
    { additionalProperties: false },
  ),
  options: Type.Object(
    { long: Type.Integer({ default: 30, minimum: 1, description: 'Characters from which a name is long.' }) },
    { additionalProperties: false },
  ),
  signals,
  // How people see the section: plugins/README.md, "What people see".
  presentation: {
    title: 'Length of the name',
    looks: 'how long the name is',
    describe: ({ characters, addresses }) => ({
      summary: [`The name has ${characters} characters.`],
      facts: [['Addresses', addresses]],
    }),
  },
  analyze({ addresses }, { target, options: { long } }) {
    const characters = target.domain.length
    const section = { characters, addresses: addresses.answers.length }
    return { section, signals: raise(signals, { characters, long }) }
  },
})

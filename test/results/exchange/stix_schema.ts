// The objects of a bundle as the text of STIX 2.1 requires them (sections 2, 3, 4.7, 4.11, 4.13, 4.14, 5, 6, 7.2 and 8), as a
// JSON Schema, and what a schema cannot say: identifiers, references and patterns.

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[45][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'
const idOf = (type: string) => ({ type: 'string', pattern: `^${type}--${uuid}$` })
/** No lone surrogates: text is Unicode (section 2.15). */
const text = { type: 'string', minLength: 1, pattern: '^(?:[^\\ud800-\\udfff])*$' }
const time = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z$' }
const precise = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }
const list = (items: object) => ({ type: 'array', minItems: 1, uniqueItems: true, items })
const confidence = { type: 'integer', minimum: 0, maximum: 100 }
const reference = idOf('[a-z][a-z0-9-]+[a-z0-9]')
const markings = list(idOf('marking-definition'))
const version = { const: '2.1' }

const mediaType = { type: 'string', pattern: '^[a-z]+/[a-z0-9.+-]+$' }
const sha256 = {
  type: 'object',
  minProperties: 1,
  properties: { 'SHA-256': { type: 'string', pattern: '^[0-9a-f]{64}$' } },
  additionalProperties: false,
}

const externalReference = {
  type: 'object',
  properties: {
    source_name: text,
    description: text,
    url: { type: 'string', format: 'uri' },
    external_id: text,
  },
  required: ['source_name'],
  anyOf: [{ required: ['description'] }, { required: ['url'] }, { required: ['external_id'] }],
  additionalProperties: false,
}

type Properties = Readonly<Record<string, object>>

/** A domain, relationship or meta object (section 3.2). */
const described = (type: string, properties: Properties, required: readonly string[]) => ({
  type: 'object',
  properties: {
    type: { const: type },
    spec_version: version,
    id: idOf(type),
    created_by_ref: idOf('identity'),
    created: precise,
    modified: precise,
    labels: list(text),
    confidence,
    external_references: list(externalReference),
    object_marking_refs: markings,
    ...properties,
  },
  required: ['type', 'spec_version', 'id', 'created', 'modified', ...required],
  additionalProperties: false,
})

/** An observable, which has neither times nor a creator (section 3.2). */
const observable = (type: string, properties: Properties, required: readonly string[]) => ({
  type: 'object',
  properties: {
    type: { const: type },
    spec_version: version,
    id: idOf(type),
    object_marking_refs: markings,
    ...properties,
  },
  required: ['type', 'id', ...required],
  additionalProperties: false,
})

const marking = {
  type: 'object',
  properties: {
    type: { const: 'marking-definition' },
    spec_version: version,
    id: idOf('marking-definition'),
    created: precise,
    name: text,
    definition_type: { const: 'tlp' },
    definition: {
      type: 'object',
      properties: { tlp: { enum: ['white', 'green', 'amber', 'red'] } },
      required: ['tlp'],
      additionalProperties: false,
    },
    extensions: { type: 'object', minProperties: 1, propertyNames: idOf('extension-definition') },
  },
  required: ['type', 'spec_version', 'id', 'created'],
  oneOf: [{ required: ['definition', 'definition_type'] }, { required: ['extensions'] }],
  additionalProperties: false,
}

const objects: Readonly<Record<string, object>> = {
  identity: described(
    'identity',
    {
      name: text,
      description: text,
      identity_class: { enum: ['individual', 'group', 'system', 'organization', 'class', 'unknown'] },
    },
    ['name'],
  ),
  'marking-definition': marking,
  indicator: described(
    'indicator',
    {
      name: text,
      description: text,
      indicator_types: list({
        enum: [
          'anomalous-activity',
          'anonymization',
          'benign',
          'compromised',
          'malicious-activity',
          'attribution',
          'unknown',
        ],
      }),
      pattern: text,
      pattern_type: { enum: ['stix', 'pcre', 'sigma', 'snort', 'suricata', 'yara'] },
      pattern_version: text,
      valid_from: time,
    },
    ['pattern', 'pattern_type', 'valid_from'],
  ),
  'observed-data': described(
    'observed-data',
    {
      first_observed: time,
      last_observed: time,
      number_observed: { type: 'integer', minimum: 1, maximum: 999_999_999 },
      object_refs: list(reference),
    },
    ['first_observed', 'last_observed', 'number_observed', 'object_refs'],
  ),
  note: described('note', { abstract: text, content: text, authors: list(text), object_refs: list(reference) }, [
    'content',
    'object_refs',
  ]),
  relationship: described(
    'relationship',
    {
      relationship_type: { type: 'string', pattern: '^[a-z0-9-]+$' },
      source_ref: reference,
      target_ref: reference,
    },
    ['relationship_type', 'source_ref', 'target_ref'],
  ),
  sighting: described(
    'sighting',
    {
      first_seen: time,
      last_seen: time,
      count: { type: 'integer', minimum: 0, maximum: 999_999_999 },
      sighting_of_ref: reference,
      observed_data_refs: list(idOf('observed-data')),
      where_sighted_refs: list(idOf('(?:identity|location)')),
    },
    ['sighting_of_ref'],
  ),
  'domain-name': observable('domain-name', { value: text }, ['value']),
  'ipv4-addr': observable('ipv4-addr', { value: { type: 'string', format: 'ipv4' } }, ['value']),
  'ipv6-addr': observable('ipv6-addr', { value: { type: 'string', format: 'ipv6' } }, ['value']),
  url: observable('url', { value: { type: 'string', format: 'uri' } }, ['value']),
  'autonomous-system': observable('autonomous-system', { number: { type: 'integer', minimum: 0 }, name: text }, [
    'number',
  ]),
  artifact: {
    ...observable(
      'artifact',
      { hashes: sha256, mime_type: mediaType, url: { type: 'string', format: 'uri' }, payload_bin: text },
      [],
    ),
    oneOf: [{ required: ['payload_bin'] }, { required: ['url', 'hashes'] }],
  },
  file: {
    ...observable(
      'file',
      { hashes: sha256, size: { type: 'integer', minimum: 0 }, mime_type: mediaType, name: text },
      [],
    ),
    anyOf: [{ required: ['hashes'] }, { required: ['name'] }],
  },
  'x509-certificate': observable(
    'x509-certificate',
    {
      is_self_signed: { type: 'boolean' },
      hashes: sha256,
      serial_number: text,
      signature_algorithm: text,
      issuer: text,
      subject: text,
      validity_not_before: time,
      validity_not_after: time,
    },
    [],
  ),
}

export const bundleSchema = {
  type: 'object',
  properties: {
    type: { const: 'bundle' },
    id: idOf('bundle'),
    objects: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['type'],
        properties: { type: { enum: Object.keys(objects) } },
        allOf: Object.entries(objects).map(([type, schema]) => ({
          if: { properties: { type: { const: type } } },
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
          then: schema,
        })),
      },
    },
  },
  required: ['type', 'id'],
  additionalProperties: false,
}

type Plain = Readonly<Record<string, unknown>>

/** What may be related how: the relationships that the specification defines for these objects. */
const RELATIONSHIPS = new Set([
  'indicator based-on observed-data',
  'domain-name resolves-to ipv4-addr',
  'domain-name resolves-to ipv6-addr',
  'ipv4-addr belongs-to autonomous-system',
  'ipv6-addr belongs-to autonomous-system',
])

const typeOf = (id: unknown): string => String(id).split('--')[0] ?? ''

/** Identifiers that occur twice, references into nowhere, and relationships that are not defined. */
export function referenceFaults(objects: readonly Plain[]): string[] {
  const ids = objects.map(({ id }) => String(id))
  const uuids = ids.map(id => id.split('--')[1])
  const twice = ids.filter((_, i) => uuids.indexOf(uuids[i]) !== i)
  const refs = objects.flatMap(one =>
    Object.entries(one).flatMap(([name, value]) => (/_refs?$/.test(name) ? [value].flat() : [])),
  )
  const related = objects
    .filter(({ type }) => type === 'relationship')
    .map(one => `${typeOf(one['source_ref'])} ${one['relationship_type']} ${typeOf(one['target_ref'])}`)
  return [
    ...twice.map(id => `${id} occurs twice`),
    ...refs.filter(ref => !ids.includes(String(ref))).map(ref => `${ref} is not in the bundle`),
    ...related.filter(one => !RELATIONSHIPS.has(one)).map(one => `${one} is not defined`),
  ]
}

/** Reads a pattern of one comparison by the grammar of section 9. Null when it is none, or says more. */
export function readPattern(pattern: string): { readonly path: string; readonly value: string } | null {
  const parts = /^\[([a-z0-9-]+:[a-z_]+) = '((?:[^'\\]|\\'|\\\\)*)'\]$/su.exec(pattern)
  if (parts === null) return null
  const [, path = '', literal = ''] = parts
  return { path, value: literal.replace(/\\(['\\])/g, '$1') }
}

// An event as draft-dulaunoy-misp-core-format describes it, without the identifiers that the receiving instance assigns. MISP
// writes numbers as strings.

const uuid = { type: 'string', format: 'uuid' }
const digits = { type: 'string', pattern: '^\\d+$' }
const time = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d+\\+00:00$' }

/** Categories, and the types that each allows: those that we use. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  'Network activity': ['ip-dst', 'hostname', 'domain', 'url', 'AS', 'x509-fingerprint-sha256'],
  'External analysis': ['text', 'comment', 'sha256'],
  'Internal reference': ['link'],
  Other: ['text', 'datetime'],
}

const attribute = {
  type: 'object',
  properties: {
    uuid,
    type: { type: 'string' },
    category: { enum: Object.keys(TYPES) },
    value: { type: 'string', minLength: 1, maxLength: 65_535 },
    to_ids: { type: 'boolean' },
    distribution: { enum: ['0', '1', '2', '3', '4', '5'] },
    timestamp: digits,
    comment: { type: 'string' },
    deleted: { type: 'boolean' },
    disable_correlation: { type: 'boolean' },
    object_relation: { type: 'string', minLength: 1 },
    first_seen: time,
    last_seen: time,
  },
  required: ['uuid', 'type', 'category', 'value', 'to_ids', 'distribution', 'timestamp', 'deleted'],
  additionalProperties: false,
  oneOf: Object.entries(TYPES).map(([category, types]) => ({
    properties: { category: { const: category }, type: { enum: types } },
  })),
}

const object = {
  type: 'object',
  properties: {
    uuid,
    name: { enum: ['domain-ip', 'url', 'x509'] },
    'meta-category': { const: 'network' },
    description: { type: 'string', minLength: 1 },
    template_uuid: uuid,
    template_version: digits,
    distribution: { enum: ['0', '1', '2', '3', '4', '5'] },
    timestamp: digits,
    comment: { type: 'string' },
    deleted: { type: 'boolean' },
    Attribute: {
      type: 'array',
      minItems: 1,
      items: { ...attribute, required: [...attribute.required, 'object_relation'] },
    },
  },
  required: [
    'uuid',
    'name',
    'meta-category',
    'template_uuid',
    'template_version',
    'distribution',
    'timestamp',
    'deleted',
  ],
  additionalProperties: false,
}

export const eventSchema = {
  type: 'object',
  properties: {
    Event: {
      type: 'object',
      properties: {
        uuid,
        info: { type: 'string', minLength: 1, maxLength: 256, pattern: '^[^\\n\\r]*$' },
        date: { type: 'string', format: 'date' },
        timestamp: digits,
        published: { const: false },
        publish_timestamp: { const: '0' },
        analysis: { enum: ['0', '1', '2'] },
        threat_level_id: { enum: ['1', '2', '3', '4'] },
        distribution: { enum: ['0', '1', '2', '3', '4'] },
        sharing_group_id: { const: '0' },
        Tag: {
          type: 'array',
          items: {
            type: 'object',
            properties: { name: { type: 'string', pattern: '^[a-z-]+:[a-z0-9+-]+(?:="[^"\\n]+")?$' } },
            required: ['name'],
            additionalProperties: false,
          },
        },
        Attribute: { type: 'array', items: attribute },
        Object: { type: 'array', items: object },
      },
      required: [
        'uuid',
        'info',
        'date',
        'timestamp',
        'published',
        'publish_timestamp',
        'analysis',
        'threat_level_id',
        'distribution',
        'Attribute',
      ],
      additionalProperties: false,
    },
  },
  required: ['Event'],
  additionalProperties: false,
}

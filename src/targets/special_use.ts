// Names that never lead to a public host: RFC 6761 and its registry, RFC 8375, RFC 9476, ICANN's `internal`. Pure.

/** Public DNS is not asked about these (RFC 6761 section 6.3). */
const internal = /(?:^|\.)(?:invalid|localhost|local|onion|alt|internal|home\.arpa)$/
/** About these it is, as about any other name (RFC 6761 sections 6.1, 6.2 and 6.5). */
const asked = /(?:^|\.)(?:test|example|in-addr\.arpa|ip6\.arpa)$/

/** Of a canonical name without its final dot. */
export const isSpecialUse = (name: string): boolean => isInternal(name) || asked.test(name)

/** Such a name, or a single label: at most a network of one's own knows it. */
export const isInternal = (name: string): boolean => internal.test(name) || !name.includes('.')

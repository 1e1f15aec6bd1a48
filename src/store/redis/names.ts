// The keys of Redis this service uses: all begin alike, so that others may share the server, and all but API keys end by themselves.

/** Changes when what is stored changes in a way that older releases cannot read. */
const version = 'v1'

/** `part` never holds a colon, and `name` comes last, so that no two names are one key. */
export const redisKey = (part: string, name = ''): string => `assay:${version}:${part}${name === '' ? '' : `:${name}`}`

// The rights that the user of this service needs in Redis, as rules of `ACL SETUSER`
// (https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/).

/** Commands of the scripts and of the service itself. */
export const commands = [
  ...['get', 'set', 'mget', 'del', 'exists', 'type', 'pttl', 'pexpire', 'pexpireat', 'decrby', 'incrby'],
  ...['hget', 'hset', 'hsetnx', 'hmget', 'hgetall', 'hkeys', 'hlen', 'hstrlen', 'hexists', 'hdel', 'hincrby'],
  ...['zadd', 'zcard', 'zrange', 'zrangebyscore', 'zrevrange', 'zrevrangebyscore', 'zrevrank', 'zscore'],
  ...['zrem', 'zremrangebyrank', 'zremrangebyscore', 'sadd', 'smembers', 'lrange', 'rpush', 'xadd', 'xrange'],
  ...['xrevrange', 'time', 'evalsha', 'eval', 'ping', 'select'],
] as const

/** Without these, `assay doctor` sees less, and nobody is warned when Redis may evict counts. */
export const optional = ['info', 'acl|whoami', 'config|get'] as const

export const rightsOf = (prefix: string): readonly string[] => [
  `~${prefix}:*`,
  ...[...commands, ...optional].map(command => `+${command}`),
]

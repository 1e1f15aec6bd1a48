// Settings of services under load: nothing from outside the lab, and no limit of keys and targets.

/** No quota, and no limit by key or target. */
export const unlimited = {
  plans: { bench: { quota: 1_000_000_000, period: 'month' } },
  check: { per_key: 10_000, per_key_per_second: 1_000_000, per_domain: 10_000, per_domain_per_second: 1_000_000 },
} as const

export const serviceSettings = {
  data: 'data',
  downloads: { enabled: false },
  green_hosting: { enabled: false },
  log: { level: 'error' },
  server: { drain_delay_ms: 0 },
  ...unlimited,
} as const

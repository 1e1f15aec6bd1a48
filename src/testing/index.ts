// For authors of plugins and gatherers: a small internet on loopback, whole or in parts.
export * from './lab_ca.ts'
export * from './lab_dns.ts'
export * from './lab_internet.ts'
export * from './lab_mmdb.ts'
export * from './lab_script.ts'
export * from './lab_web.ts'

// For authors of plugins and gatherers: evidence to write out, one plugin run as the service runs it, and a small internet on loopback.
export * from './lab_ca.ts'
export * from './lab_dns.ts'
export * from './lab_internet.ts'
export * from './lab_mmdb.ts'
export * from './lab_script.ts'
export * from './lab_web.ts'
export * from './page_of.ts'
export * from './run_plugin.ts'

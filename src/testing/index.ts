// For authors of plugins and gatherers: hand-written evidence, running one plugin as the service does, and a small
// internet on loopback.
export * from './check_page.ts'
export * from './lab_ca.ts'
export * from './lab_dns.ts'
export * from './lab_internet.ts'
export * from './lab_mail.ts'
export * from './lab_mmdb.ts'
export * from './lab_script.ts'
export * from './lab_web.ts'
export * from './page_of.ts'
export * from './run_plugin.ts'

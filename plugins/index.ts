// The built-in plugins, one line each. Their order is the order of the result's sections.
import type { Loaded } from '../src/engine/contract.ts'
import { BUILT_IN } from '../src/engine/contract.ts'
import abuse_reports from './abuse_reports/index.ts'
import carbon_footprint from './carbon_footprint/index.ts'
import check_result from './check_result/index.ts'
import content_analysis from './content_analysis/index.ts'
import cookies from './cookies/index.ts'
import dns_security from './dns_security/index.ts'
import geo_location from './geo_location/index.ts'
import link from './link/index.ts'
import mail_servers from './mail_servers/index.ts'
import name_servers from './name_servers/index.ts'
import operator_lists from './operator_lists/index.ts'
import rendered from './rendered/index.ts'
import reputation from './reputation/index.ts'
import security_headers from './security_headers/index.ts'
import security_txt from './security_txt/index.ts'
import seo_health from './seo_health/index.ts'
import ssl_info from './ssl_info/index.ts'
import tech_stack from './tech_stack/index.ts'
import tls_offer from './tls_offer/index.ts'
import vendor_verdicts from './vendor_verdicts/index.ts'

const plugins = [
  dns_security,
  ssl_info,
  seo_health,
  content_analysis,
  tech_stack,
  security_headers,
  cookies,
  security_txt,
  geo_location,
  carbon_footprint,
  reputation,
  link,
  operator_lists,
  vendor_verdicts,
  abuse_reports,
  tls_offer,
  mail_servers,
  name_servers,
  rendered,
  check_result,
]

export const builtInPlugins: readonly Loaded[] = plugins.flat().map(plugin => ({ plugin, origin: BUILT_IN }))

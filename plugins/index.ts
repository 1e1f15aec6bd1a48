// The built-in plugins, one line each. Their order is the order of the result's sections.
import type { LoadedPlugin } from '../src/engine/contract.ts'
import { BUILT_IN } from '../src/engine/contract.ts'
import abuseReports from './abuse_reports/index.ts'
import carbonFootprint from './carbon_footprint/index.ts'
import certificateLog from './certificate_log/index.ts'
import checkResult from './check_result/index.ts'
import contentAnalysis from './content_analysis/index.ts'
import cookies from './cookies/index.ts'
import dnsSecurity from './dns_security/index.ts'
import geoLocation from './geo_location/index.ts'
import internetNoise from './internet_noise/index.ts'
import link from './link/index.ts'
import mailServers from './mail_servers/index.ts'
import nameServers from './name_servers/index.ts'
import operatorLists from './operator_lists/index.ts'
import passiveDns from './passive_dns/index.ts'
import publicScans from './public_scans/index.ts'
import rendered from './rendered/index.ts'
import reputation from './reputation/index.ts'
import securityHeaders from './security_headers/index.ts'
import securityTxt from './security_txt/index.ts'
import seoHealth from './seo_health/index.ts'
import sslInfo from './ssl_info/index.ts'
import techStack from './tech_stack/index.ts'
import tlsOffer from './tls_offer/index.ts'
import vendorVerdicts from './vendor_verdicts/index.ts'

const plugins = [
  dnsSecurity,
  sslInfo,
  seoHealth,
  contentAnalysis,
  techStack,
  securityHeaders,
  cookies,
  securityTxt,
  geoLocation,
  carbonFootprint,
  reputation,
  link,
  operatorLists,
  vendorVerdicts,
  abuseReports,
  certificateLog,
  passiveDns,
  publicScans,
  internetNoise,
  tlsOffer,
  mailServers,
  nameServers,
  rendered,
  checkResult,
]

export const builtInPlugins: readonly LoadedPlugin[] = plugins.flat().map(plugin => ({ plugin, origin: BUILT_IN }))

// The built-in plugins, one line each. Their order is the order of the result's sections.

import type { Loaded } from '../src/engine/contract.ts'
import { BUILT_IN } from '../src/engine/registry.ts'
import dns_security from './dns_security/index.ts'
import geo_location from './geo_location/index.ts'
import ssl_info from './ssl_info/index.ts'

const plugins = [dns_security, ssl_info, geo_location]

export const builtInPlugins: readonly Loaded[] = plugins.map(plugin => ({ plugin, origin: BUILT_IN }))

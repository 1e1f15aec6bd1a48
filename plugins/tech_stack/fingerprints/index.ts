// All built-in fingerprints, written from vendors' documentation and from real sites.
import type { Fingerprint } from '../fingerprint.ts'
import { advertising } from './advertising.ts'
import { analytics } from './analytics.ts'
import { authentication } from './authentication.ts'
import { business_software } from './business_software.ts'
import { cache } from './cache.ts'
import { captcha } from './captcha.ts'
import { cdn } from './cdn.ts'
import { chat } from './chat.ts'
import { cms } from './cms.ts'
import { cms_extension } from './cms_extension.ts'
import { community } from './community.ts'
import { consent } from './consent.ts'
import { control_panel } from './control_panel.ts'
import { css_framework } from './css_framework.ts'
import { database } from './database.ts'
import { dns } from './dns.ts'
import { email } from './email.ts'
import { email_delivery } from './email_delivery.ts'
import { email_security } from './email_security.ts'
import { font } from './font.ts'
import { hosting } from './hosting.ts'
import { javascript_framework } from './javascript_framework.ts'
import { javascript_library } from './javascript_library.ts'
import { language } from './language.ts'
import { learning } from './learning.ts'
import { map } from './map.ts'
import { marketing } from './marketing.ts'
import { monitoring } from './monitoring.ts'
import { office_suite } from './office_suite.ts'
import { operating_system } from './operating_system.ts'
import { payment } from './payment.ts'
import { runtime } from './runtime.ts'
import { saas } from './saas.ts'
import { search } from './search.ts'
import { security } from './security.ts'
import { shop } from './shop.ts'
import { site_builder } from './site_builder.ts'
import { static_site_generator } from './static_site_generator.ts'
import { tag_manager } from './tag_manager.ts'
import { testing } from './testing.ts'
import { video } from './video.ts'
import { web_framework } from './web_framework.ts'
import { web_server } from './web_server.ts'
import { widget } from './widget.ts'

/** One table per category. */
export const tables: readonly (readonly Fingerprint[])[] = [
  web_server,
  operating_system,
  language,
  runtime,
  web_framework,
  javascript_framework,
  javascript_library,
  css_framework,
  static_site_generator,
  cms,
  cms_extension,
  site_builder,
  shop,
  community,
  learning,
  business_software,
  control_panel,
  database,
  cache,
  cdn,
  hosting,
  dns,
  security,
  captcha,
  authentication,
  email,
  email_delivery,
  email_security,
  office_suite,
  payment,
  analytics,
  tag_manager,
  advertising,
  testing,
  monitoring,
  marketing,
  consent,
  chat,
  search,
  font,
  video,
  map,
  widget,
  saas,
]

export const fingerprints: readonly Fingerprint[] = tables.flat()

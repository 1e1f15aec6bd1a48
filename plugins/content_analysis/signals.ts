// What phishing pages do that honest ones do not, or seldom: each weighed so that an ordinary log-in page costs nothing,
// and that it takes two of them together to leave `safe`.
import type { SignalDefinition } from '../../src/engine/plugin.ts'

export const signals = {
  impersonated_brand: {
    weight: 20,
    group: 'content',
    title: 'Asks for a password under a brand’s name on a domain that is not the brand’s',
  },
  credentials_to_messenger_bot: {
    weight: 20,
    group: 'content',
    title: 'Asks for a password and writes to a messenger’s bot',
  },
  data_uri_form: { weight: 15, group: 'content', title: 'A form or a framed page lives in a data URL' },
  password_form_to_other_site: { weight: 12, group: 'content', title: 'The password is sent to another site' },
  password_form_over_http: { weight: 10, group: 'content', title: 'The password is sent without encryption' },
  obfuscated_redirect: { weight: 10, group: 'content', title: 'A script redirects to an encoded address' },
  password_on_http_page: { weight: 8, group: 'content', title: 'The password is asked for on an unencrypted page' },
  password_form_on_free_hosting: {
    weight: 6,
    group: 'content',
    title: 'A password is asked for where anyone has a site for nothing',
  },
  refresh_to_other_site: { weight: 4, group: 'content', title: 'The page sends visitors to another site at once' },
  obfuscated_script: { weight: 4, group: 'content', title: 'A script is decoded before it runs' },
  parked_domain: { weight: 2, group: 'content', title: 'No site of its own: parked, expired or a placeholder' },
  brand_in_title: { weight: 0, group: 'content', title: 'The title names a brand that has other domains' },
} as const satisfies Record<string, SignalDefinition>

export type Id = keyof typeof signals

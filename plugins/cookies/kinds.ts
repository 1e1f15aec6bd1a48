// Classifies a cookie by its name: first by documented names of frameworks and services, then by common words.

export const kinds = ['session', 'csrf', 'analytics', 'consent', 'other'] as const
export type Kind = (typeof kinds)[number]

/** Lower case. Exact names win; otherwise the first match of `x*` (prefix), `*x` (suffix) and `*x*` (substring). */
const table: readonly (readonly [kind: Kind, names: string])[] = [
  // CSRF protection: Django, Laravel, Angular, ASP.NET, Rails, Spring, Express
  ['csrf', 'csrftoken xsrf-token __requestverificationtoken* .aspnetcore.antiforgery.* authenticity_token form_key'],
  ['csrf', '*csrf* *xsrf*'],
  // Consent managers: Cookiebot, OneTrust, CookieYes, Didomi, Usercentrics, IAB TCF, Quantcast, Osano, Borlabs, Complianz, Iubenda
  [
    'consent',
    'cookieconsent* optanonconsent optanonalertboxclosed cookieyes-consent didomi_token euconsent* usprivacy',
  ],
  ['consent', 'uc_settings uc_user_interaction addtl_consent notice_preferences notice_gdpr_prefs notice_behavior'],
  [
    'consent',
    'borlabs-cookie cmplz_* _iub_cs-* cookielawinfo-* viewed_cookie_policy tarteaucitron klaro li_gc axeptio_*',
  ],
  [
    'consent',
    'truste.* cookiecontrol moove_gdpr_popup hu-consent real_cookie_banner* ckns_policy* cookie_notice_accepted',
  ],
  ['consent', '*consent* *gdpr* *ccpa* *cookie_policy* *cookiepolicy* *cookie-policy* *cookie_accept* *cookiebanner*'],
  // Google Analytics and Ads, Tag Manager, Optimize
  [
    'analytics',
    '_ga _ga_* _gid _gat* _gcl_* _gac_* __utma __utmb __utmc __utmt __utmv __utmz _gaexp ide test_cookie nid',
  ],
  // Meta, Microsoft, LinkedIn, TikTok, Pinterest, X, Snap, Reddit
  [
    'analytics',
    '_fbp _fbc fr muid _uetsid _uetvid _clck _clsk clid bcookie lidc li_sugr usermatchhistory analyticssynchistory',
  ],
  [
    'analytics',
    '_ttp _tt_enable_cookie _pin_unauth _pinterest_ct* personalization_id guest_id* muc_ads _scid _scid_r _rdt_uuid',
  ],
  // Matomo, Hotjar, HubSpot, Segment, Mixpanel, Amplitude, Adobe, Yandex, Plausible's rivals
  ['analytics', '_pk_* mtm_* matomo_* _hj* __hstc __hssc __hssrc hubspotutk ajs_* mp_* amp_* amplitude_* _mkto_trk'],
  ['analytics', 's_cc s_sq s_vi s_fid amcv_* amcvs_* kndctr_* mbox _ym_* yandexuid ymex _vwo_* _vis_opt_* optimizely*'],
  [
    'analytics',
    '_pendo_* heap_* _hp2_* _lfa _shopify_s _shopify_y _tracking_consent _cs_* _cb _cb_* _chartbeat* _dc_gtm_*',
  ],
  [
    'analytics',
    'intercom-id-* __kla_id _omappvp* __gads __gpi __qca _sp_* nmstat at_check demdex _parsely* sa-user-id* _iz_*',
  ],
  // Sessions and log-ins: PHP, Java, ASP.NET, ColdFusion, Express, Laravel, CodeIgniter, Rack, Rails, Django, Drupal, WordPress, TYPO3
  [
    'session',
    'phpsessid jsessionid* asp.net_sessionid aspsessionid* .aspxauth .aspnetcore.* cfid cftoken connect.sid koa.sid koa:sess',
  ],
  [
    'session',
    'laravel_session ci_session rack.session sessionid sess* ssess* wordpress_logged_in_* wordpress_sec_* wp-postpass_*',
  ],
  [
    'session',
    'fe_typo_user be_typo_user typo3* contao_* joomla_* _secure_session_id next-auth.session-token authjs.session-token',
  ],
  [
    'session',
    'frontend frontend_cid adminhtml wp_woocommerce_session_* prestashop-* ocsessid plack_session beaker.session.id',
  ],
  [
    'session',
    'sid sessid session* auth auth_token authtoken access_token refresh_token id_token jwt token remember_me remember_token',
  ],
  [
    'session',
    'remember_web_* remember_user_token rememberme user_session mod_auth_openidc_session _oauth2_proxy* supertokens* sb-*-auth-token',
  ],
  ['session', '*session* *sessid* *_sid *.sid *-sid *_auth *_jwt *auth_token* *auth-token* *access_token* *logged_in*'],
]

interface Pattern {
  readonly kind: Kind
  readonly text: string
  readonly fits: (name: string, text: string) => boolean
}

const begins: Pattern['fits'] = (name, text) => name.startsWith(text)
const ends: Pattern['fits'] = (name, text) => name.endsWith(text)
const contains: Pattern['fits'] = (name, text) => name.includes(text)

const rows = table.flatMap(([kind, names]) => names.split(' ').map(written => ({ kind, written })))
const whole = new Map(rows.filter(({ written }) => !written.includes('*')).map(({ kind, written }) => [written, kind]))
const patterns = rows.filter(({ written }) => written.includes('*')).map(patternOf)

function patternOf({ kind, written }: { kind: Kind; written: string }): Pattern {
  const open = written.startsWith('*')
  const tail = written.endsWith('*')
  const text = written.slice(open ? 1 : 0, tail ? -1 : undefined)
  return { kind, text, fits: open ? (tail ? contains : ends) : begins }
}

/** Only this many characters of a name are read. */
const LOOKED_AT = 128

/** Prefixes such as `__Host-` describe how a cookie is set, not its purpose. */
export function kindOf(name: string): Kind {
  const bare = name
    .slice(0, LOOKED_AT)
    .toLowerCase()
    .replace(/^__(?:host|secure)-/, '')
  return whole.get(bare) ?? patterns.find(({ text, fits }) => fits(bare, text))?.kind ?? 'other'
}

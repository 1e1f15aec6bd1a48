// Classifies a cookie by its name: first by documented names of frameworks and services, then by common words.

export const kinds = ['session', 'csrf', 'analytics', 'consent', 'other'] as const
export type Kind = (typeof kinds)[number]

/** Documented names in lower case. Exact names win; otherwise the first match of `x*` (prefix), `*x` (suffix) and `*x*` (substring). */
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
    '_tracking_consent truste.* cookiecontrol moove_gdpr_popup hu-consent real_cookie_banner* ckns_policy* cookie_notice_accepted',
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
  ['analytics', '_pendo_* heap_* _hp2_* _lfa _shopify_s _shopify_y _cs_* _cb _cb_* _chartbeat* _dc_gtm_*'],
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
    'laravel_session ci_session rack.session sessionid ssess* wordpress_logged_in_* wordpress_sec_* wp-postpass_*',
  ],
  [
    'session',
    'fe_typo_user be_typo_user typo3* contao_* joomla_* _secure_session_id next-auth.session-token authjs.session-token',
  ],
  [
    'session',
    'xf_user webvpn iplanetdirectorypro frontend frontend_cid adminhtml wp_woocommerce_session_* prestashop-* ocsessid plack_session beaker.session.id',
  ],
  [
    'session',
    'sid sentrysid sessid session moodlesession* auth auth_token authtoken access_token refresh_token id_token jwt token remember_me remember_token',
  ],
  [
    'session',
    'remember_web_* remember_user_token rememberme user_session mod_auth_openidc_session _oauth2_proxy* supertokens* sb-*-auth-token',
  ],
]

/**
 * Words in names. Each row has a word that excludes it: `session_language` holds a language, `session-affinity` a
 * server.
 */
const SESSION_WORDS = words(
  'session sessions sess sessid sessionid sid phpsessid jsessionid usid ssid auth authn authentication authorization jwt sso login signin',
  'logon remember rememberme keepalive oauth oauth2 saml ticket credentials passport identity usersession authtoken accesstoken',
  'sessiontoken sessionkey sessiondata loggedin',
)
const NO_SESSION_WORDS = words(
  'affinity sticky stickiness route routing backend node server lb balancer language lang locale country region currency timezone tz',
  'theme mode color layout width height screen device count counter counts depth views visits visit seen start started begin end time',
  'timestamp date first last referrer referer source campaign utm test ab experiment variant analytics tracking track recording replay',
  'expires expiry expiration timeout warning alive banner popup dismissed closed hint flag redirect return error message url status state',
  'provider method type enabled supported support check preference preferences page number nonce replayid stats duration limit',
)
/** Pairs of words that together mean a session. */
const SESSION_PAIRS = words(
  'remember_me access_token refresh_token id_token auth_token api_token user_token login_token bearer_token sign_in logged_in log_in',
)

function words(...lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.flatMap(list => list.split(' ')))
}

/** Splits at punctuation and at capitals: `JSESSIONID`, `user-session`, `accessToken`. */
const tokensOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map(token => token.replace(/^(?:php|asp|aspnet|my|j)(?=sess)|\d+$/g, ''))
    .filter(token => token !== '')

function isSession(name: string): boolean {
  const tokens = tokensOf(name)
  if (tokens.some(token => NO_SESSION_WORDS.has(token))) return false
  const isWord = (token: string): boolean =>
    SESSION_WORDS.has(token) || /^s?sess(?:ion)?(?:id|key|token|hash|[0-9a-f]{3,})?$/.test(token)
  return (
    tokens.some(token => isWord(token) || /(?<!ob|pos)(?:session|sessid|sessionid)$/.test(token)) ||
    tokens.some((token, at) => SESSION_PAIRS.has(`${token}_${tokens[at + 1] ?? ''}`))
  )
}

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
  const bare = name.slice(0, LOOKED_AT).replace(/^__(?:host-http|host|http|secure)-/i, '')
  const folded = bare.toLowerCase()
  const documented = whole.get(folded) ?? patterns.find(({ text, fits }) => fits(folded, text))?.kind
  return documented ?? (isSession(bare) ? 'session' : 'other')
}

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CookieKind, kindOf } from '../../plugins/cookies/kinds.ts'

/** Names that frameworks and services document, or that sites are known to set, by what they hold. */
const labelled: Readonly<Record<CookieKind, string>> = {
  session: `PHPSESSID JSESSIONID JSESSIONIDSSO ASP.NET_SessionId ASPSESSIONIDQQ connect.sid koa.sess koa:sess laravel_session
    ci_session ci_sessions rack.session sessionid _gh_sess user_session __Host-user_session_same_site remember-me remember_me
    rememberMe rememberme remember_user_token remember_web_59ba wordpress_logged_in_9a wordpress_sec_9a SSESS0af3 SESS0af3
    fe_typo_user be_typo_user next-auth.session-token __Secure-next-auth.session-token authjs.session-token _session_id
    _myapp_session my_app_session sb-abc-auth-token access_token accessToken refresh_token id_token auth_token authToken
    flask_session session SESSION Session sid SID sess sessid SessionID session_id session-id session-token session_token
    li_at_session express.sid express:sess nest.sid adonis-session play_session PLAY_SESSION __session _oauth2_proxy
    mod_auth_openidc_session OCSESSID frontend adminhtml beaker.session.id plack_session cakephp_session symfony_session
    MoodleSession MoodleSessionab12 grafana_session gitlab_session _gitlab_session jenkins-session sentrysid sso_token sso
    auth jwt user_jwt loginToken login_session customer_session _shopify_session_token cart_auth admin_sid user_sid
    vbulletin_sessionhash bb_sessionhash phpbb3_abc_sid dokuwiki_session mediawiki_session enwikiSession
    AUTH_SESSION_ID KEYCLOAK_SESSION KEYCLOAK_IDENTITY SAML_SESSION shib_session usersession app.session app-session-id
    xf_session xf_user webvpn iPlanetDirectoryPro SMSESSION MRHSession`,
  csrf: `csrftoken XSRF-TOKEN __RequestVerificationToken_L2 .AspNetCore.Antiforgery.x _csrf csrf_cookie_name form_key
    __Host-csrf _gorilla_csrf xf_csrf __Secure-session-csrf`,
  analytics: `_ga _ga_1ABC _gid _fbp _hjSession_123 _hjSessionUser_1 _pk_id.1.1fff _pk_ses.1.1fff hubspotutk __hssc IDE AMCV_x
    _clck s_sq _uetsid _uetvid mp_1_mixpanel _ym_uid`,
  consent: `CookieConsent OptanonConsent euconsent-v2 cookie_consent_session cmplz_marketing _tracking_consent
    gdpr_accepted didomi_token`,
  other: `heroku-session-affinity session_language session_lang session-theme sessionTimezone session_currency lang language
    locale theme timezone currency country AWSALB AWSALBCORS ARRAffinity ARRAffinitySameSite __cf_bm SERVERID lb_session_route
    session_depth session_start session_count session-started session_referrer sessionSource author authority _gadget
    cart basket wishlist last_seen first_visit session_views sessionWidth session_sticky auth_provider login_method
    login_redirect session_expires session_timeout_warning session_banner_dismissed auth_error session_test assid outside
    inside residual obsession possession authors side residence sidebar sidebar_state session_recording session_variant
    __proto__ constructor token_of_love_count node_session_server BIGipServerpool visid_incap_1 incap_ses_1`,
}

describe('the kind of a labelled cookie', () => {
  for (const [kind, names] of Object.entries(labelled)) {
    it(kind, () => {
      const wrong = names.split(/\s+/).flatMap(name => (kindOf(name) === kind ? [] : [`${name}: ${kindOf(name)}`]))
      assert.deepEqual(wrong, [])
    })
  }
})

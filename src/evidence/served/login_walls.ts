// A log-in where the page should be. It excuses from grading only: who asks for a password still answers for it.
import { rulesOf } from './rule.ts'

export const loginWalls = rulesOf('login_wall', [
  ['http_authentication', 'HTTP authentication (RFC 9110 section 11)', { status: [401] }],
  ['proxy_authentication', 'Network authentication (RFC 6585 section 6)', { status: [407, 511] }],
  ['cloudflare_access', 'Cloudflare Access', { host: ['cloudflareaccess.com'] }],
  [
    'identity_provider',
    'A redirect to an identity provider',
    {
      host: [
        'login.microsoftonline.com',
        'login.live.com',
        'accounts.google.com',
        'okta.com',
        'oktapreview.com',
        'auth0.com',
        'onelogin.com',
        'pingidentity.com',
        'pingone.com',
        'amazoncognito.com',
        'duosecurity.com',
        'b2clogin.com',
        'ciamlogin.com',
      ],
    },
  ],
  [
    'identity_provider',
    'A redirect to OpenID Connect or SAML at the site',
    {
      redirected: true,
      path: ['openid-connect', 'oauth2', 'saml2', 'cas', 'adfs', 'idp'],
      password: true,
    },
  ],
  ['password_page', 'A shop that is not open (Shopify)', { redirected: true, path: ['password'], password: true }],
  [
    'login_page',
    'A redirect to a page that asks for a password',
    {
      redirected: true,
      password: true,
      words: 400,
      path: [
        'login',
        'log-in',
        'signin',
        'sign-in',
        'sign_in',
        'log_in',
        'login.php',
        'login.html',
        'login.aspx',
        'login.jsp',
        'wp-login.php',
        'anmelden',
        'connexion',
        'accedi',
        'acceso',
        'inloggen',
        'sso',
        'auth',
        'user_session',
      ],
    },
  ],
])

// Log-in services.
import { cname, cookie, cookies, from, id, inline, resource, technologies, txt } from '../marks.ts'

export const authentication = technologies('authentication', [
  ['Auth0', [from('auth0.com'), cookies('auth0'), cname('edge.tenants.auth0.com')]],
  [
    'Clerk',
    [
      from('clerk.accounts.dev'),
      resource('@clerk/clerk-js'),
      cookie('__client_uat', { confidence: 80 }),
      cname('frontend-api.clerk.services'),
    ],
  ],
  ['Duo', [from('duosecurity.com'), txt('duo_sso_verification=')]],
  [
    'Google Sign-In',
    [resource('accounts.google.com/gsi/'), id('g_id_onload'), inline('google.accounts.id.initialize')],
  ],
  ['Keycloak', [resource('/js/keycloak.js'), cookie('KEYCLOAK_SESSION'), cookie('AUTH_SESSION_ID_LEGACY')], ['Java']],
  ['Memberstack', [from('memberstack.com'), from('memberstack.io')]],
  ['NextAuth.js', [cookies('next-auth.'), cookies('__Host-next-auth.'), cookies('__Secure-next-auth.')]],
  ['Okta', [from('okta.com'), from('oktacdn.com'), cookie('okta-oauth-nonce')]],
  ['OneLogin', [from('onelogin.com')]],
  ['Shibboleth', [cookies('_shibsession_')]],
])

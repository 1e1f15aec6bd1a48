// Log-in services.
import { cname, cookie, cookies, formTo, from, id, inline, packaged, resource, technologies, txt } from '../patterns.ts'

export const authentication = technologies('authentication', [
  ['AD FS', [formTo('/adfs/ls'), resource('/adfs/portal/')], ['Microsoft IIS']],
  ['Amazon Cognito', [from('amazoncognito.com')]],
  ['Apereo CAS', [formTo('/cas/login')], ['Java']],
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
  ['Descope', [packaged('@descope/web-component')]],
  ['Duo', [from('duosecurity.com'), txt('duo_sso_verification=')]],
  ['FusionAuth', [cookie('fusionauth.sso')]],
  [
    'Google Sign-In',
    [resource('accounts.google.com/gsi/'), id('g_id_onload'), inline('google.accounts.id.initialize')],
  ],
  [
    'Keycloak',
    [
      resource('/js/keycloak.js'),
      cookie('KEYCLOAK_SESSION'),
      cookie('AUTH_SESSION_ID_LEGACY'),
      id('kc-form-login'),
      formTo('/login-actions/authenticate'),
    ],
    ['Java'],
  ],
  ['LoginRadius', [from('auth.lrcontent.com')]],
  ['Memberstack', [from('memberstack.com'), from('memberstack.io')]],
  ['Microsoft Entra', [from('aadcdn.msauth.net'), from('aadcdn.msftauth.net')]],
  ['NextAuth.js', [cookies('next-auth.'), cookies('__Host-next-auth.'), cookies('__Secure-next-auth.')]],
  ['Okta', [from('okta.com'), from('oktacdn.com'), cookie('okta-oauth-nonce')]],
  ['OneLogin', [from('onelogin.com')]],
  ['Outseta', [from('cdn.outseta.com')]],
  ['Shibboleth', [cookies('_shibsession_'), formTo('/idp/profile/')]],
  ['Sign in with Apple', [from('appleid.cdn-apple.com')]],
  ['Stytch', [packaged('@stytch/vanilla-js')]],
])

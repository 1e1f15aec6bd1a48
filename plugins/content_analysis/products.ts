// Products that their operators run on hosts of their own: mail, remote access, administration. The maker's name on such a
// log-in is that of the product, and it imitates nobody.
import type { Document } from '../../src/engine/plugin.ts'
import { isHttp, resolveUrl } from './text.ts'

export interface Product {
  readonly name: string
  /** Brands whose name the product shows. */
  readonly makers?: readonly string[]
  /** Where its log-in form goes: a path, and its query, that are the product's. On the page's own host. */
  readonly action?: RegExp
  /** Names of fields that only the product has; all must be there. */
  readonly fields?: readonly string[]
}

/** From the log-in pages that each product ships. A kit that copies one sends its form elsewhere and renames its fields. */
const products: readonly Product[] = [
  {
    name: 'Exchange',
    makers: ['Outlook', 'Microsoft', 'Office'],
    action: /^\/(?:owa|exchweb\/bin)\/auth(?:\/owaauth)?\.(?:owa|dll)$/,
  },
  { name: 'AD FS', makers: ['Microsoft', 'Office'], action: /^\/adfs\/(?:ls|oauth2)\// },
  { name: 'RD Web Access', makers: ['Microsoft'], fields: ['domainusername', 'userpass'] },
  { name: 'SharePoint', makers: ['Microsoft', 'Office'], action: /^\/_(?:layouts|login|forms)\// },
  { name: 'Citrix Gateway', makers: ['Citrix'], action: /^\/(?:cgi\/login|citrix\/\w+\/)/ },
  { name: 'Cisco ASA', makers: ['Cisco'], action: /^\/\+webvpn\+\// },
  { name: 'FortiGate', makers: ['Fortinet'], action: /^\/remote\/logincheck$/ },
  { name: 'GlobalProtect', action: /^\/(?:global-protect|ssl-vpn)\/login\.esp$/ },
  { name: 'Ivanti Connect Secure', action: /^\/dana-na\/auth\// },
  { name: 'SonicWall', action: /^\/auth\.cgi$/ },
  { name: 'Roundcube', action: /[?&]_task=login/, fields: ['_user', '_pass'] },
  { name: 'Zimbra', makers: ['Zimbra'], fields: ['loginop', 'username', 'password'] },
  { name: 'Horde', fields: ['horde_user', 'horde_pass'] },
  { name: 'SquirrelMail', fields: ['login_username', 'secretkey'] },
  { name: 'SOGo', action: /^\/sogo\//i },
  { name: 'Plesk', action: /^\/login_up\.php$/ },
  { name: 'SAP NetWeaver', makers: ['SAP'], fields: ['j_username', 'j_password', 'login_submit'] },
  { name: 'SAP Web Application Server', makers: ['SAP'], fields: ['sap-user', 'sap-password'] },
  { name: 'Oracle APEX', makers: ['Oracle'], action: /\/wwv_flow\.(?:accept|ajax)$/ },
  { name: 'Oracle Access Manager', makers: ['Oracle'], action: /^\/oam\/server\/auth_cred_submit$/ },
  { name: 'GitLab', makers: ['GitLab'], fields: ['user[login]', 'user[password]'] },
  { name: 'Jira', makers: ['Atlassian', 'Jira'], fields: ['os_username', 'os_password'] },
  { name: 'WordPress', makers: ['WordPress'], fields: ['log', 'pwd'] },
  { name: 'WordPress set-up', makers: ['WordPress'], fields: ['weblog_title', 'admin_email'] },
  { name: 'WordPress configuration', makers: ['WordPress'], fields: ['dbname', 'uname', 'pwd', 'dbhost', 'prefix'] },
  { name: 'phpMyAdmin', fields: ['pma_username', 'pma_password'] },
  { name: 'Adminer', fields: ['auth[driver]', 'auth[username]', 'auth[password]'] },
  { name: 'phpPgAdmin', fields: ['loginserver', 'loginusername'] },
  { name: 'PostfixAdmin', fields: ['fusername', 'fpassword'] },
  { name: 'PostfixAdmin set-up', fields: ['setup_password'] },
  { name: 'Tiny Tiny RSS', action: /\/public\.php\?return=/ },
  { name: 'Magento', fields: ['form_key', 'login[username]', 'login[password]'] },
  { name: 'Joomla', fields: ['username', 'passwd', 'option', 'task'] },
  { name: 'Drupal', fields: ['name', 'pass', 'form_build_id', 'form_id'] },
  { name: 'Jenkins', action: /\/j_(?:spring|acegi)_security_check$/ },
  { name: 'Keycloak', action: /\/realms\/[^/]{1,64}\/login-actions\// },
  { name: 'Moodle', fields: ['logintoken', 'username', 'password'] },
  { name: 'Zabbix', action: /\/index\.php$/, fields: ['name', 'password', 'autologin', 'enter'] },
  { name: 'Nagios XI', fields: ['nsp', 'page', 'username', 'password'] },
  { name: 'phpBB', action: /\/ucp\.php\?mode=login/ },
  { name: 'vBulletin', fields: ['vb_login_username', 'vb_login_password'] },
  { name: 'Webmin', action: /^\/session_login\.cgi$/ },
  { name: 'Synology DSM', action: /^\/webman\/login\.cgi$/ },
  { name: 'QNAP QTS', action: /^\/cgi-bin\/authlogin\.cgi$/i },
]

/** The product whose log-in this is; null if it is none of those that are known. */
export function productOf({ look, url, base }: Document, page: URL): Product | null {
  if (look === undefined) return null
  const against = resolveUrl(base ?? '', url)?.href ?? url
  const own = look.actions.flatMap(action => {
    const to = resolveUrl(action, against)
    return to !== null && isHttp(to) && to.hostname === page.hostname ? [`${to.pathname}${to.search}`] : []
  })
  // The form goes to the host itself, or a script sends it.
  const staysHere = own.length === look.actions.length
  const fields = new Set(look.fields.flatMap(({ name }) => [name, ...name.split(' ')]))
  const isOf = ({ action, fields: needed }: Product): boolean =>
    staysHere &&
    (action === undefined || own.some(path => action.test(path))) &&
    (needed === undefined || needed.every(name => fields.has(name)))
  return products.find(isOf) ?? null
}

// Products that their operators run on hosts of their own are technologies: their log-ins and set-ups name them.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { vendorLogIns } from './presented/vendor_logins.ts'
import { namesOf } from './tech_stack_site.ts'

/** By the page: the product, where it is not named as the page is; null where nothing on the page is only the product's. */
const NAMES: Readonly<Record<string, string | null>> = {
  'Outlook Web App 2010': 'Microsoft Exchange',
  'Outlook on the web 2016': 'Microsoft Exchange',
  'Exchange Admin Center': 'Microsoft Exchange',
  'SharePoint Server': 'SharePoint',
  'FortiGate SSL VPN': 'FortiGate',
  'GlobalProtect Portal': 'GlobalProtect',
  'SAP NetWeaver Portal': 'SAP',
  'Oracle Application Express': 'Oracle APEX',
  cPanel: null,
  Gitea: null,
  'Apple Profile Manager': null,
}

const form = (action: string, ...fields: readonly string[]): string =>
  `<form action="${action}" method="post">${fields.map(name => `<input name="${name}">`).join('')}<input type="password" name="password"></form>`

const PRODUCTS: Readonly<Record<string, string>> = {
  Adminer: form('', 'auth[driver]', 'auth[server]', 'auth[username]'),
  Bugzilla: form('index.cgi', 'Bugzilla_login'),
  Cockpit: '<input id="login-user-input"><input type="password" id="login-password-input">',
  cPanel: '<link rel="stylesheet" href="/cPanel_magic_revision_1/unprotected/cpanel/style.css">',
  Django: form('/admin/login/', 'csrfmiddlewaretoken', 'username'),
  Gitea: '<meta name="author" content="Gitea - Git with a cup of tea">',
  Grafana: '<div class="grafana-app"></div>',
  'Ivanti Connect Secure': form('/dana-na/auth/url_default/login.cgi', 'username'),
  Joomla: form('/administrator/index.php', 'mod-login-username'),
  'OpenWrt LuCI': form('/cgi-bin/luci', 'luci_username'),
  PostfixAdmin: form('login.php', 'fUsername', 'fPassword'),
  phpBB: form('./ucp.php?mode=login', 'username'),
  phpPgAdmin: form('redirect.php', 'loginServer', 'loginUsername'),
  SOGo: form('/SOGo/connect', 'userName'),
  SquirrelMail: form('redirect.php', 'login_username', 'secretkey'),
  'Tiny Tiny RSS': `<body class="flat ttrss_utility ttrss_login">${form('public.php?return=', 'login')}`,
  vBulletin: form('login.php?do=login', 'vb_login_username'),
  Webmin: form('/session_login.cgi', 'user'),
  WordPress: form('install.php?step=2', 'weblog_title', 'user_name', 'admin_email'),
  Zabbix: `<meta name="author" content="Zabbix SIA">${form('index.php', 'name', 'autologin')}`,
}

describe('the log-in of a product', () => {
  for (const { of, domain, html } of vendorLogIns) {
    const product = NAMES[of] === undefined ? of : NAMES[of]
    it(product === null ? `names none that ${of} shares with others` : `names ${product}: ${of}`, async () => {
      const names = await namesOf({ html: html.replaceAll(`https://${domain}`, '') })
      if (product === null) assert.deepEqual(names, [])
      else assert.ok(names.includes(product), names.join(', '))
    })
  }
  for (const [product, html] of Object.entries(PRODUCTS)) {
    it(`names ${product} by what only it has`, async () => {
      assert.ok((await namesOf({ html })).includes(product))
    })
  }
})

describe('the set-up of PostfixAdmin', () => {
  it('names it', async () => {
    const html = `<img id="login_header_logo" src="images/postbox.png">${form('setup.php', 'setup_password')}`
    assert.deepEqual(await namesOf({ html }), ['PHP', 'PostfixAdmin'])
  })
})

describe('a log-in that goes elsewhere', () => {
  it('names no product by where it goes', async () => {
    assert.deepEqual(await namesOf({ html: form('https://webmail.example.net/?_task=login', 'user') }), [])
  })

  it('names none by fields that any log-in has', async () => {
    assert.deepEqual(await namesOf({ html: form('/login', 'username', 'user', 'email', 'login', 'name', 'pass') }), [])
  })
})

// Control panels of hosting, hosts and devices.
import {
  cookie,
  cookies,
  element,
  field,
  formTo,
  generatorWith,
  header,
  headerWith,
  id,
  resource,
  server,
  technologies,
} from '../patterns.ts'

export const control_panel = technologies('control_panel', [
  ['Cockpit', [field('login-user-input'), resource('/cockpit/static/'), cookie('cockpit')]],
  [
    'cPanel',
    [header('server', 'cpsrvd'), cookie('cpsession'), cookies('cprelogin'), resource('/cPanel_magic_revision_')],
  ],
  ['DirectAdmin', [header('server', 'DirectAdmin')]],
  ['FreedomBox', [formTo('/plinth/'), resource('/plinth/static/')], ['Django']],
  ['ISPConfig', [generatorWith('ISPConfig'), cookie('ISPCSESS')], ['PHP']],
  ['OpenWrt LuCI', [field('luci_username'), field('luci_password'), resource('/luci-static/'), cookies('sysauth')]],
  [
    'Plesk',
    [
      header('x-powered-by', 'PleskLin'),
      header('x-powered-by', 'PleskWin'),
      headerWith('x-powered-by', 'Plesk'),
      formTo('/login_up.php'),
    ],
  ],
  [
    'PostfixAdmin',
    [
      field('fUsername', { confidence: 60 }),
      field('fPassword', { confidence: 60 }),
      field('setup_password', { confidence: 60 }),
      id('login_header_logo', { confidence: 60 }),
      cookie('postfixadmin_session'),
    ],
    ['PHP'],
  ],
  ['Proxmox VE', [header('server', 'pve-api-daemon'), resource('/pve2/'), cookie('PVEAuthCookie')]],
  ['QNAP QTS', [formTo('/cgi-bin/authLogin.cgi'), cookie('NAS_USER')]],
  ['Synology DSM', [resource('/webman/'), formTo('/webman/login.cgi')]],
  ['TrueNAS', [element('ix-root')]],
  ['Webmin', [...server('MiniServ'), formTo('/session_login.cgi')], ['Perl']],
])

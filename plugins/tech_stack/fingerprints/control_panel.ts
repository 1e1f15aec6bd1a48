// Hosting control panels.
import { cookie, cookies, generatorWith, header, headerWith, server, technologies } from '../patterns.ts'

export const control_panel = technologies('control_panel', [
  ['cPanel', [header('server', 'cpsrvd'), cookie('cpsession'), cookies('cprelogin')]],
  ['DirectAdmin', [header('server', 'DirectAdmin')]],
  ['ISPConfig', [generatorWith('ISPConfig'), cookie('ISPCSESS')], ['PHP']],
  [
    'Plesk',
    [header('x-powered-by', 'PleskLin'), header('x-powered-by', 'PleskWin'), headerWith('x-powered-by', 'Plesk')],
  ],
  ['Webmin', server('MiniServ'), ['Perl']],
])

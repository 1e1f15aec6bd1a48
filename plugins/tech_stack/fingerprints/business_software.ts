// Business software that is served as a site.
import {
  className,
  cookie,
  from,
  generator,
  header,
  id,
  inline,
  meta,
  resource,
  spf,
  technologies,
} from '../patterns.ts'

export const business_software = technologies('business_software', [
  [
    'Confluence',
    [
      header('x-confluence-request-time'),
      meta('ajs-version-number', '', { version: '' }),
      id('com-atlassian-confluence'),
    ],
    ['Java'],
  ],
  ['Gitea', [cookie('i_like_gitea'), meta('keywords', 'go,git,self-hosted,gitea')], ['Go']],
  ['GitLab', [cookie('_gitlab_session'), header('x-gitlab-meta'), meta('og:site_name', 'GitLab')], ['Ruby on Rails']],
  ['Grafana', [cookie('grafana_session'), className('grafana-app'), inline('window.grafanaBootData')], ['Go']],
  ['Jenkins', [header('x-jenkins', '', { version: '' }), header('x-hudson')], ['Java']],
  ['Jira', [cookie('atlassian.xsrf.token'), meta('application-name', 'JIRA'), id('jira')], ['Java']],
  ['Kibana', [header('kbn-name'), header('kbn-version', '', { version: '' })], ['Node.js']],
  [
    'Mattermost',
    [meta('apple-itunes-app', 'app-id=1257222717'), header('x-version-id', '', { version: '', confidence: 40 })],
    ['Go'],
  ],
  [
    'Nextcloud',
    [
      cookie('oc_sessionPassphrase', { confidence: 50 }),
      cookie('nc_sameSiteCookielax'),
      cookie('__Host-nc_sameSiteCookielax'),
      meta('apple-itunes-app', 'app-id=1125420102'),
    ],
    ['PHP'],
  ],
  [
    'Odoo',
    [
      generator('Odoo', null),
      resource('/web/assets/', { confidence: 50 }),
      id('oe_main_menu_navbar'),
      cookie('frontend_lang', { confidence: 40 }),
    ],
    ['Python'],
  ],
  [
    'ownCloud',
    [cookie('oc_sessionPassphrase', { confidence: 50 }), meta('apple-itunes-app', 'app-id=543672169')],
    ['PHP'],
  ],
  ['Redmine', [meta('description', 'Redmine'), cookie('_redmine_session')], ['Ruby on Rails']],
  ['Roundcube', [cookie('roundcube_sessid'), inline('rcmail')], ['PHP']],
  [
    'Salesforce',
    [
      from('force.com'),
      from('salesforce.com'),
      cookie('BrowserId_sec'),
      from('my.site.com'),
      spf('_spf.salesforce.com'),
    ],
  ],
  ['SAP', [header('server', 'SAP NetWeaver Application Server'), cookie('sap-usercontext')]],
  ['ServiceNow', [cookie('glide_user_route'), header('server', 'ServiceNow')]],
  ['SonarQube', [meta('application-name', 'SonarQube'), header('sonar-version', '', { version: '' })], ['Java']],
  ['Zimbra', [cookie('ZM_TEST'), cookie('ZM_LOGIN_CSRF')], ['Java']],
])

// Forums, wikis and comments.
import {
  attribute,
  className,
  cookie,
  cookies,
  field,
  formTo,
  from,
  generator,
  header,
  id,
  inline,
  meta,
  resource,
  technologies,
} from '../patterns.ts'

export const community = technologies('community', [
  [
    'Discourse',
    [
      generator('Discourse'),
      header('x-discourse-route'),
      id('data-discourse-setup'),
      attribute('data-discourse-entrypoint'),
    ],
    ['Ruby on Rails'],
  ],
  ['Disqus', [from('disqus.com'), from('disquscdn.com'), id('disqus_thread')]],
  ['DokuWiki', [generator('DokuWiki', null), cookie('DokuWiki'), id('dokuwiki__site')], ['PHP']],
  ['Flarum', [id('flarum-content'), id('flarum-loading'), cookie('flarum_session')], ['PHP']],
  ['Invision Community', [cookies('ips4_'), attribute('data-ipscontroller')], ['PHP']],
  ['Mastodon', [header('server', 'Mastodon'), id('mastodon')], ['Ruby on Rails', 'React']],
  ['MediaWiki', [generator('MediaWiki'), className('mediawiki'), resource('/load.php?')], ['PHP']],
  ['MyBB', [cookie('mybb[lastvisit]'), cookie('mybb[lastactive]')], ['PHP']],
  ['NodeBB', [header('x-powered-by', 'NodeBB'), meta('application-name', 'NodeBB')], ['Node.js']],
  ['phpBB', [cookies('phpbb3_'), cookies('phpbb_'), id('phpbb'), formTo('/ucp.php?mode=login')], ['PHP']],
  ['Simple Machines Forum', [cookies('SMFCookie'), inline('smf_theme_url')], ['PHP']],
  ['Vanilla', [header('x-garden-version', '', { version: '' }), cookies('Vanilla-')], ['PHP']],
  [
    'vBulletin',
    [generator('vBulletin'), cookie('bbsessionhash'), cookie('bbuserid'), field('vb_login_username')],
    ['PHP'],
  ],
  ['XenForo', [id('XF'), attribute('data-xf-init'), cookie('xf_csrf'), cookie('xf_session')], ['PHP']],
  ['XWiki', [attribute('data-xwiki-reference'), attribute('data-xwiki-wiki')], ['Java']],
])

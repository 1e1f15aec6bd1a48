// Learning platforms.
import { cookie, cookies, field, from, header, inline, meta, resource, technologies } from '../patterns.ts'

export const learning = technologies('learning', [
  ['Blackboard', [cookie('BbRouter'), header('x-blackboard-product')], ['Java']],
  ['Canvas LMS', [header('x-canvas-meta'), cookie('_csrf_token', { confidence: 20 }), from('instructure.com')]],
  ['ILIAS', [cookie('ilClientId')], ['PHP']],
  ['Kajabi', [from('kajabi-cdn.com')]],
  ['LearnDash', [resource('/wp-content/plugins/sfwd-lms/')], ['WordPress']],
  [
    'Moodle',
    [
      cookies('MoodleSession'),
      field('logintoken', { confidence: 80 }),
      meta('keywords', 'moodle'),
      inline('M.cfg = {"wwwroot"'),
      resource('/lib/javascript.php/'),
    ],
    ['PHP'],
  ],
  ['Open edX', [cookie('openedx-language-preference'), inline('edx.HtmlUtils')], ['Django']],
  ['Teachable', [from('teachablecdn.com')]],
  ['Thinkific', [from('thinkific.com'), from('cdn.thinkific.com')]],
])

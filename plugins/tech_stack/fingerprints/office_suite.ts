// Office suites that the zone was verified for.
import { mx, technologies, txt } from '../patterns.ts'

export const office_suite = technologies('office_suite', [
  ['Atlassian Cloud', [txt('atlassian-domain-verification=')]],
  ['Citrix', [txt('citrix-verification-code=')]],
  ['Dropbox', [txt('dropbox-domain-verification=')]],
  ['Lark', [mx('larksuite.com'), txt('lark-domain-verification=')]],
  ['Miro', [txt('miro-verification=')]],
  ['Notion Workspace', [txt('notion-domain-verification=')]],
  ['Slack', [txt('slack-domain-verification=')]],
  ['Webex', [txt('webexdomainverification'), txt('cisco-ci-domain-verification=')]],
  ['Zoom', [txt('ZOOM_verify_'), txt('zoom-domain-verification=')]],
])

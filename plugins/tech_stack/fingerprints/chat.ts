// Chat with visitors.
import { cname, cookies, from, id, inline, resource, technologies } from '../marks.ts'

export const chat = technologies('chat', [
  ['Chaport', [from('app.chaport.com')]],
  ['Chatwoot', [resource('/packs/js/sdk.js', { confidence: 60 }), from('app.chatwoot.com'), inline('chatwootSDK')]],
  ['Crisp', [from('client.crisp.chat'), inline('CRISP_WEBSITE_ID')]],
  ['Drift', [from('js.driftt.com'), inline('js.driftt.com')]],
  ['Freshchat', [from('wchat.freshchat.com'), from('freshworks.com'), from('freshchat.com')]],
  ['Gorgias', [from('config.gorgias.chat'), id('gorgias-chat-container')]],
  ['Help Scout', [from('beacon-v2.helpscout.net'), inline('beacon-v2.helpscout.net')]],
  [
    'Intercom',
    [
      from('widget.intercom.io'),
      from('js.intercomcdn.com'),
      inline('intercomSettings'),
      inline('widget.intercom.io'),
      cookies('intercom-id-'),
      cname('custom.intercom.help'),
    ],
  ],
  ['JivoChat', [from('code.jivosite.com'), from('code.jivo.ru')]],
  ['Kommunicate', [from('widget.kommunicate.io')]],
  ['LiveChat', [from('cdn.livechatinc.com'), inline('cdn.livechatinc.com')]],
  ['LivePerson', [from('lptag.liveperson.net'), from('liveperson.net')]],
  ['Olark', [from('static.olark.com'), inline('static.olark.com')]],
  ['Smartsupp', [from('smartsuppchat.com'), inline('_smartsupp')]],
  ['Tawk.to', [from('embed.tawk.to'), inline('embed.tawk.to')]],
  ['Tidio', [from('code.tidio.co')]],
  ['Userlike', [from('userlike-cdn-widgets.s3-eu-west-1.amazonaws.com'), from('userlike.com')]],
  ['Zendesk', [from('static.zdassets.com'), from('ekr.zdassets.com'), id('ze-snippet')]],
])

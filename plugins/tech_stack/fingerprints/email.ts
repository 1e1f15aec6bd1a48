// Services that receive the domain's mail.
import { mx, spf, technologies, txt } from '../patterns.ts'

export const email = technologies('email', [
  ['Amazon WorkMail', [mx('awsapps.com'), txt('amazonworkmail')], ['Amazon Web Services']],
  ['Apple iCloud Mail', [mx('mail.icloud.com'), txt('apple-domain='), spf('icloud.com')]],
  ['Fastmail', [mx('messagingengine.com'), spf('spf.messagingengine.com')]],
  ['Gandi Mail', [mx('mail.gandi.net'), spf('_mailcust.gandi.net')]],
  ['Google Workspace', [mx('aspmx.l.google.com'), mx('googlemail.com'), mx('smtp.google.com'), spf('_spf.google.com')]],
  ['Hover', [mx('hostedemail.com')]],
  ['Infomaniak Mail', [mx('infomaniak.ch'), spf('spf.infomaniak.ch')]],
  ['IONOS Mail', [mx('kundenserver.de'), mx('ionos.com'), mx('ionos.de'), mx('ionos.co.uk'), mx('1and1.com')]],
  ['Mail.ru', [mx('mail.ru'), spf('_spf.mail.ru'), txt('mailru-verification:', { confidence: 60 })]],
  ['Mailbox.org', [mx('mailbox.org'), spf('mailbox.org')]],
  ['Mailfence', [mx('mailfence.com')]],
  [
    'Microsoft 365',
    [mx('mail.protection.outlook.com'), mx('mx.microsoft'), spf('spf.protection.outlook.com'), txt('MS=ms')],
  ],
  ['Migadu', [mx('migadu.com'), spf('spf.migadu.com')]],
  ['Namecheap Private Email', [mx('privateemail.com'), spf('spf.privateemail.com')]],
  ['OVHcloud Mail', [mx('ovh.net'), spf('mx.ovh.com')]],
  ['Proton Mail', [mx('protonmail.ch'), txt('protonmail-verification='), spf('_spf.protonmail.ch')]],
  ['Rackspace Email', [mx('emailsrvr.com'), spf('emailsrvr.com')]],
  ['STRATO Mail', [mx('rzone.de')]],
  ['Tencent Exmail', [mx('mxbiz1.qq.com'), mx('mxbiz2.qq.com'), spf('spf.mail.qq.com')]],
  ['Titan', [mx('titan.email'), spf('spf.titan.email')]],
  ['Tuta', [mx('mail.tutanota.de'), spf('spf.tutanota.de')]],
  ['Yahoo Mail', [mx('yahoodns.net')]],
  ['Yandex 360', [mx('mx.yandex.net'), mx('mx.yandex.ru'), spf('_spf.yandex.net')]],
  [
    'Zoho Mail',
    [mx('zoho.com'), mx('zoho.eu'), mx('zoho.in'), txt('zoho-verification='), spf('zoho.com'), spf('zohomail.com')],
  ],
])

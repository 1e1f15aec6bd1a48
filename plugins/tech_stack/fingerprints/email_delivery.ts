// Services that send mail for the domain.
import { from, mx, resource, spf, technologies, txt } from '../patterns.ts'

export const email_delivery = technologies('email_delivery', [
  ['Amazon SES', [spf('amazonses.com'), txt('amazonses:')], ['Amazon Web Services']],
  [
    'Brevo',
    [
      spf('spf.sendinblue.com'),
      spf('spf.brevo.com'),
      txt('Sendinblue-code:'),
      txt('brevo-code:'),
      from('sibforms.com'),
    ],
  ],
  ['Campaign Monitor', [spf('_spf.createsend.com'), from('createsend.com'), from('createsend1.com')]],
  ['Constant Contact', [spf('spf.constantcontact.com'), from('ctctcdn.com')]],
  ['Elastic Email', [spf('_spf.elasticemail.com')]],
  ['ImprovMX', [mx('improvmx.com'), spf('spf.improvmx.com')]],
  [
    'Mailchimp',
    [spf('servers.mcsv.net'), from('chimpstatic.com'), from('list-manage.com'), resource('list-manage.com/')],
  ],
  ['MailerLite', [spf('_spf.mlsend.com'), txt('mailerlite-domain-verification='), from('mailerlite.com')]],
  ['Mailgun', [spf('mailgun.org'), mx('mailgun.org'), spf('mailgun.us')]],
  ['Mailjet', [spf('spf.mailjet.com')]],
  ['Mandrill', [spf('spf.mandrillapp.com'), txt('mandrill_verify.')]],
  ['Postmark', [spf('spf.mtasv.net')]],
  ['SendGrid', [spf('sendgrid.net'), mx('mx.sendgrid.net')]],
  ['SMTP2GO', [spf('spf.smtp2go.com')]],
  ['SparkPost', [spf('sparkpostmail.com'), spf('_netblocks.sparkpostmail.com')]],
])

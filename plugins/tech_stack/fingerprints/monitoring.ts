// Monitoring of errors and speed.
import { cname, cookie, file, from, header, inline, meta, resource, technologies } from '../marks.ts'

export const monitoring = technologies('monitoring', [
  ['Bugsnag', [from('d2wy8f7a9ursnm.cloudfront.net'), from('bugsnag.com')]],
  ['Datadog RUM', [resource('datadoghq-browser-agent.com'), inline('DD_RUM')]],
  [
    'Dynatrace',
    [resource('/ruxitagentjs_'), from('dynatrace.com'), cookie('dtCookie'), header('x-oneagent-js-injection')],
  ],
  ['Elastic APM', [file('elastic-apm-rum')]],
  ['LogRocket', [from('cdn.logrocket.io'), from('cdn.lr-ingest.io'), from('cdn.lr-in.com')]],
  ['New Relic', [from('js-agent.newrelic.com'), inline('window.NREUM'), from('bam.nr-data.net')]],
  ['Raygun', [from('cdn.raygun.io')]],
  ['Rollbar', [from('cdn.rollbar.com'), inline('_rollbarConfig')]],
  ['Sentry', [from('browser.sentry-cdn.com'), from('js.sentry-cdn.com'), inline('Sentry.init'), meta('sentry-trace')]],
  ['SpeedCurve', [from('cdn.speedcurve.com')]],
  ['Statuspage', [cname('stspg-customer.com'), header('x-statuspage-version')]],
])

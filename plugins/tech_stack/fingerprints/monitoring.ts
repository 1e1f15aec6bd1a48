// Error and performance monitoring.
import { cname, cookie, file, from, header, inline, meta, packaged, resource, technologies } from '../patterns.ts'

export const monitoring = technologies('monitoring', [
  ['Airbrake', [packaged('@airbrake/browser')]],
  ['Akamai mPulse', [from('go-mpulse.net')]],
  ['AppDynamics', [from('cdn.appdynamics.com')]],
  ['Azure Application Insights', [from('js.monitor.azure.com'), inline('InstrumentationKey')]],
  ['Bugsnag', [from('d2wy8f7a9ursnm.cloudfront.net'), from('bugsnag.com')]],
  ['Datadog RUM', [resource('datadoghq-browser-agent.com'), inline('DD_RUM')]],
  [
    'Dynatrace',
    [resource('/ruxitagentjs_'), from('dynatrace.com'), cookie('dtCookie'), header('x-oneagent-js-injection')],
  ],
  ['Elastic APM', [file('elastic-apm-rum')]],
  ['Grafana Faro', [packaged('@grafana/faro-web-sdk')]],
  ['Honeybadger', [from('js.honeybadger.io')]],
  ['LogRocket', [from('cdn.logrocket.io'), from('cdn.lr-ingest.io'), from('cdn.lr-in.com')]],
  ['New Relic', [from('js-agent.newrelic.com'), inline('window.NREUM'), from('bam.nr-data.net')]],
  ['Pingdom RUM', [from('rum-static.pingdom.net')]],
  ['Raygun', [from('cdn.raygun.io')]],
  ['Request Metrics', [from('cdn.requestmetrics.com')]],
  ['Rollbar', [from('cdn.rollbar.com'), inline('_rollbarConfig')]],
  ['Sentry', [from('browser.sentry-cdn.com'), from('js.sentry-cdn.com'), inline('Sentry.init'), meta('sentry-trace')]],
  ['SpeedCurve', [from('cdn.speedcurve.com')]],
  ['Statuspage', [cname('stspg-customer.com'), header('x-statuspage-version')]],
  ['TrackJS', [from('cdn.trackjs.com')]],
  ['Uptrends', [from('uptrendsdata.com')]],
])

// A/B testing.
import { cookie, file, from, inline, packaged, resource, technologies } from '../patterns.ts'

export const testing = technologies('testing', [
  ['AB Tasty', [from('try.abtasty.com')]],
  ['Adobe Target', [file('mbox.js'), file('at.js'), from('tt.omtrdc.net')]],
  ['Convert', [from('cdn-4.convertexperiments.com'), from('convertexperiments.com')]],
  ['Dynamic Yield', [from('dynamicyield.com')]],
  ['Google Optimize', [resource('googleoptimize.com/optimize.js')]],
  ['GrowthBook', [packaged('@growthbook/growthbook'), from('cdn.growthbook.io')]],
  ['Intelligems', [from('cdn.intelligems.io')]],
  ['Kameleoon', [from('kameleoon.eu'), from('kameleoon.io'), cookie('kameleoonVisitorCode')]],
  ['LaunchDarkly', [from('launchdarkly.com')]],
  ['Mutiny', [from('mutinycdn.com')]],
  ['Optimizely', [from('cdn.optimizely.com'), cookie('optimizelyEndUserId')]],
  ['Split', [from('cdn.split.io')]],
  ['Statsig', [from('statsig.com'), from('statsigapi.net')]],
  ['Unleash', [packaged('unleash-proxy-client')]],
  ['VWO', [from('dev.visualwebsiteoptimizer.com'), cookie('_vwo_uuid'), inline('_vwo_code')]],
])

// Tests of variants.
import { cookie, from, inline, technologies } from '../marks.ts'

export const testing = technologies('testing', [
  ['AB Tasty', [from('try.abtasty.com')]],
  ['Convert', [from('cdn-4.convertexperiments.com'), from('convertexperiments.com')]],
  ['Dynamic Yield', [from('dynamicyield.com')]],
  ['Kameleoon', [from('kameleoon.eu'), from('kameleoon.io'), cookie('kameleoonVisitorCode')]],
  ['LaunchDarkly', [from('launchdarkly.com')]],
  ['Optimizely', [from('cdn.optimizely.com'), cookie('optimizelyEndUserId')]],
  ['Split', [from('cdn.split.io')]],
  ['Statsig', [from('statsig.com'), from('statsigapi.net')]],
  ['VWO', [from('dev.visualwebsiteoptimizer.com'), cookie('_vwo_uuid'), inline('_vwo_code')]],
])

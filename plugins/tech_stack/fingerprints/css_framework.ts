// Frameworks of styles and components.
import { attribute, classes, className, element, file, library, packaged, resource, technologies } from '../marks.ts'

export const css_framework = technologies('css_framework', [
  ['Ant Design', [classes('ant-btn'), classes('ant-layout'), packaged('antd')]],
  [
    'Bootstrap',
    [
      ...library('bootstrap', null),
      // Many a loader has this name
      file('bootstrap.js', { exact_case: true, confidence: 60 }),
      file('bootstrap.min.js'),
      file('bootstrap-', { version: '', version_required: true }),
      ...library('twitter-bootstrap', null),
      file('bootstrap.bundle.min.js'),
      file('bootstrap.min.css'),
      file('bootstrap.css'),
      resource('bootstrapcdn.com/bootstrap/', { version: '' }),
      attribute('data-bs-toggle'),
    ],
  ],
  ['Bulma', [...library('bulma'), file('bulma.min.css'), file('bulma.css')]],
  ['Chakra UI', [classes('chakra-')], ['React']],
  [
    'Foundation',
    [
      ...library('foundation'),
      ...library('foundation-sites', null),
      file('foundation.min.css'),
      file('foundation.css'),
    ],
  ],
  // Its icons are used without it
  ['Ionic', ['app', 'content', 'header', 'page', 'router-outlet'].map(part => element(`ion-${part}`))],
  ['Material UI', [classes('MuiBox-'), classes('MuiButton'), classes('MuiTypography')], ['React']],
  ['Materialize CSS', [...library('materialize'), ...library('materialize-css', null), file('materialize.min.css')]],
  ['Pure CSS', [file('pure-min.css'), packaged('purecss')]],
  ['Semantic UI', [...library('semantic-ui'), file('semantic.min.css'), file('semantic.min.js')]],
  [
    'Tailwind CSS',
    [
      resource('cdn.tailwindcss.com'),
      file('tailwind.min.css'),
      packaged('tailwindcss'),
      packaged('@tailwindcss/browser'),
    ],
  ],
  ['UIkit', [...library('uikit'), file('uikit.min.css'), attribute('uk-grid'), attribute('data-uk-grid')]],
  ['Vuetify', [...library('vuetify'), className('v-application')], ['Vue.js']],
])

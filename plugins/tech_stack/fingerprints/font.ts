// Fonts and icons.
import { className, element, file, from, packaged, resource, technologies } from '../patterns.ts'

export const font = technologies('font', [
  ['Adobe Fonts', [from('use.typekit.net'), from('p.typekit.net')]],
  ['Bootstrap Icons', [packaged('bootstrap-icons'), file('bootstrap-icons')]],
  ['Boxicons', [packaged('boxicons')]],
  ['Bunny Fonts', [from('fonts.bunny.net')]],
  ['Cloud.typography', [from('cloud.typography.com')]],
  ['Feather Icons', [packaged('feather-icons')]],
  [
    'Font Awesome',
    [
      packaged('font-awesome'),
      packaged('@fortawesome/fontawesome-free'),
      from('kit.fontawesome.com'),
      from('use.fontawesome.com'),
      file('font-awesome'),
      file('fontawesome'),
      resource('bootstrapcdn.com/font-awesome/', { version: '' }),
    ],
  ],
  ['Fonts.com', [from('fast.fonts.net'), from('fast.fonts.com')]],
  ['Fontshare', [from('api.fontshare.com')]],
  ['Fontsource', [packaged('@fontsource/inter'), packaged('@fontsource/roboto')]],
  ['Google Fonts', [from('fonts.googleapis.com'), from('fonts.gstatic.com')]],
  ['Ionicons', [packaged('ionicons'), element('ion-icon'), file('ionicons')]],
  ['Lucide', [packaged('lucide')]],
  ['Material Icons', [resource('fonts.googleapis.com/icon?family=Material'), className('material-icons')]],
  ['Phosphor Icons', [packaged('@phosphor-icons/web'), packaged('phosphor-icons')]],
  ['Remix Icon', [packaged('remixicon')]],
  ['Typekit Legacy', [from('p.typekit.net')]],
  ['Typography.com', [from('cloud.typography.com')]],
  ['Webtype', [from('cloud.webtype.com')]],
])

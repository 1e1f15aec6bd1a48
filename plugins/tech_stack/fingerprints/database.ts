// Databases.
import { cookie, cookies, field, resource, technologies } from '../patterns.ts'

export const database = technologies('database', [
  ['Adminer', [field('auth[driver]'), cookie('adminer_sid'), cookie('adminer_version')], ['PHP']],
  ['Airtable', [resource('airtable.com/embed/')]],
  [
    'Firebase',
    [resource('/__/firebase/'), resource('gstatic.com/firebasejs/', { version: '' }), resource('.firebaseio.com')],
  ],
  ['MySQL', []],
  [
    'phpMyAdmin',
    [cookie('phpMyAdmin'), cookies('pma_lang'), field('pma_username'), resource('/themes/pmahomme/')],
    ['PHP', 'MySQL'],
  ],
  ['phpPgAdmin', [field('loginServer'), cookie('PPA_ID')], ['PHP']],
  ['Supabase', [resource('.supabase.co/'), cookies('sb-access-token')]],
])

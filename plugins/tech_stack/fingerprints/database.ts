// Databases.
import { cookie, cookies, resource, technologies } from '../patterns.ts'

export const database = technologies('database', [
  ['Airtable', [resource('airtable.com/embed/')]],
  [
    'Firebase',
    [resource('/__/firebase/'), resource('gstatic.com/firebasejs/', { version: '' }), resource('.firebaseio.com')],
  ],
  ['MySQL', []],
  ['phpMyAdmin', [cookie('phpMyAdmin'), cookies('pma_lang')], ['PHP', 'MySQL']],
  ['Supabase', [resource('.supabase.co/'), cookies('sb-access-token')]],
])

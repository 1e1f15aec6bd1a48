// Programming languages.
import { cookie, header, headerIs, headerWith, technologies } from '../patterns.ts'

export const language = technologies('language', [
  ['Elixir', [headerIs('x-powered-by', 'Elixir')], ['Erlang']],
  ['Erlang', [headerWith('server', 'Erlang', { confidence: 90 })]],
  ['Go', [headerIs('x-powered-by', 'Go')]],
  ['Java', [cookie('JSESSIONID'), headerWith('x-powered-by', 'JSP/'), headerWith('x-powered-by', 'Servlet')]],
  ['Lua', [headerIs('x-powered-by', 'Lua')]],
  ['Perl', [headerWith('server', 'mod_perl'), headerWith('server', ' Perl/', { version: '' })]],
  [
    'PHP',
    [
      headerWith('x-powered-by', 'PHP'),
      headerWith('x-powered-by', 'PHP/', { version: '' }),
      headerWith('server', 'PHP/', { version: '' }),
      header('x-php-version', '', { version: '' }),
      cookie('PHPSESSID'),
    ],
  ],
  ['Python', [headerWith('server', 'Python/', { version: '' })]],
  ['Ruby', [headerWith('server', ' Ruby/', { version: '' })]],
  ['Rust', [headerIs('x-powered-by', 'Rust')]],
])

// "Not found" said with a status of success: search engines call it a soft 404.
import { rulesOf } from './rule.ts'

export const soft404 = rulesOf('soft_404', [
  [
    'soft_404',
    'A title that says so',
    {
      status: [200],
      words: 250,
      title: [
        'page not found',
        '404 not found',
        'not found - ',
        'error 404',
        '404 error',
        "page doesn't exist",
        'page does not exist',
        'seite nicht gefunden',
        'page introuvable',
        'no encontrada',
        'pagina non trovata',
        'niet gevonden',
      ],
    },
  ],
  [
    'soft_404',
    'A text that says so and little else',
    {
      status: [200],
      words: 80,
      text: [
        'page not found',
        '404 not found',
        'error 404',
        "the page you are looking for doesn't exist",
        'the page you requested could not be found',
        'the requested url was not found on this server',
        "page you're looking for can't be found",
        'seite nicht gefunden',
        'page introuvable',
      ],
    },
  ],
])

// End-of-support dates as announced by vendors.

/** Versions below `below` (all versions if absent) are unsupported after the day in UTC. Entries are in ascending order. */
export interface SupportEnd {
  readonly technology: string
  readonly below: string
  readonly ends: string
}

const ends = (technology: string, rows: Readonly<Record<string, string>>): readonly SupportEnd[] =>
  Object.entries(rows).map(([below, day]) => ({ technology, below, ends: day }))

export const supportEnds: readonly SupportEnd[] = [
  ...ends('AngularJS', { '2.0': '2021-12-31' }),
  ...ends('Apache HTTP Server', { '2.2': '2013-07-10', '2.4': '2017-12-31' }),
  ...ends('Apache Tomcat', { '7.0': '2016-12-31', '8.0': '2021-03-31', '8.5': '2018-06-30', '9.0': '2024-03-31' }),
  ...ends('Bootstrap', { '4.0': '2019-07-24', '5.0': '2023-01-01' }),
  ...ends('Drupal', { '7.0': '2016-02-24', '8.0': '2025-01-05', '9.0': '2021-11-02', '10.0': '2023-11-01' }),
  ...ends('Joomla', { '3.0': '2014-12-31', '4.0': '2023-08-17', '5.0': '2025-10-14' }),
  ...ends('Microsoft IIS', { '7.0': '2015-07-14', '8.0': '2020-01-14', '10.0': '2023-10-10' }),
  ...ends('OpenSSL', { '1.1.0': '2019-12-31', '1.1.1': '2019-09-11', '3.0': '2023-09-11', '3.1': '2026-09-07' }),
  ...ends('PHP', {
    '5.6': '2016-07-21',
    '7.0': '2018-12-31',
    '7.1': '2019-01-10',
    '7.2': '2019-12-01',
    '7.3': '2020-11-30',
    '7.4': '2021-12-06',
    '8.0': '2022-11-28',
    '8.1': '2023-11-26',
    '8.2': '2025-12-31',
    '8.3': '2026-12-31',
    '8.4': '2027-12-31',
    '8.5': '2028-12-31',
  }),
  ...ends('Python', {
    '3.0': '2020-01-01',
    '3.6': '2020-09-30',
    '3.7': '2021-12-23',
    '3.8': '2023-06-27',
    '3.9': '2024-10-07',
    '3.10': '2025-10-31',
    '3.11': '2026-10-31',
  }),
  ...ends('Vue.js', { '3.0': '2023-12-31' }),
]

// Databases of places and networks, and the registries' services.
import { type Dataset, dataset } from '../dataset.ts'
import { noKey } from './off.ts'

export const knownDatabases: readonly Dataset[] = [
  dataset({ id: 'city', name: 'Places', use: 'city' }),
  dataset({ id: 'asn', name: 'Networks', use: 'asn' }),
  dataset({
    id: 'rdap_bootstrap',
    name: 'IANA RDAP bootstrap',
    use: 'rdap_bootstrap',
    url: 'https://data.iana.org/rdap/dns.json',
    min_entries: 500,
    terms: 'public domain (CC0)',
  }),
  dataset({
    id: 'rdap_bootstrap_ipv4',
    name: 'IANA RDAP bootstrap, IPv4',
    use: 'rdap_bootstrap_ipv4',
    url: 'https://data.iana.org/rdap/ipv4.json',
    min_entries: 100,
    terms: 'public domain (CC0)',
  }),
  dataset({
    id: 'rdap_bootstrap_ipv6',
    name: 'IANA RDAP bootstrap, IPv6',
    use: 'rdap_bootstrap_ipv6',
    url: 'https://data.iana.org/rdap/ipv6.json',
    min_entries: 20,
    terms: 'public domain (CC0)',
  }),
  dataset({
    id: 'dbip_country',
    name: 'DB-IP Country Lite',
    use: 'city',
    url: 'https://download.db-ip.com/free/dbip-country-lite-{year}-{month}.mmdb.gz',
    max_bytes: 64 * 1024 * 1024,
    terms: 'CC BY 4.0: link to db-ip.com where results are shown',
  }),
  dataset({
    id: 'dbip_asn',
    name: 'DB-IP ASN Lite',
    use: 'asn',
    url: 'https://download.db-ip.com/free/dbip-asn-lite-{year}-{month}.mmdb.gz',
    max_bytes: 64 * 1024 * 1024,
    terms: 'CC BY 4.0: link to db-ip.com where results are shown',
  }),
  dataset({
    id: 'dbip_city',
    name: 'DB-IP City Lite',
    use: 'city',
    url: 'https://download.db-ip.com/free/dbip-city-lite-{year}-{month}.mmdb.gz',
    terms: 'CC BY 4.0: link to db-ip.com where results are shown',
    off: 'takes 130 MB of memory; dbip_country has the countries for 8 MB',
  }),
  dataset({
    id: 'geolite_city',
    name: 'GeoLite City',
    use: 'city',
    terms: 'GeoLite End User License Agreement',
    off: `${noKey}: let geoipupdate fetch it and give the path`,
  }),
  dataset({
    id: 'geolite_asn',
    name: 'GeoLite ASN',
    use: 'asn',
    terms: 'GeoLite End User License Agreement',
    off: `${noKey}: let geoipupdate fetch it and give the path`,
  }),
  dataset({
    id: 'ipinfo_lite',
    name: 'IPinfo Lite',
    use: 'city',
    terms: 'CC BY-SA 4.0: name IPinfo where results are shown',
    off: `${noKey} in the URL`,
  }),
]

// What reputation is given when nothing was seen.
export const NOTHING_SEEN = {
  listings: null,
  feeds: null,
  redirect_listings: null,
  host_result: null,
  first_seen: null,
  page: null,
  served: null,
  document: null,
  tls: null,
  addresses: null,
  location: null,
  popularity: null,
  registration: null,
  ip_network: null,
  name_score: null,
  reverse_names: null,
} as const

export const OPTIONS = { new_days: 30, recent_days: 90, trusted_days: 1_825, suspicious_from: 80, brands: [] }

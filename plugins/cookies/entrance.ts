// The responses that a visitor gets who types the name without a scheme: plain HTTP comes first.
import type { Entrances } from '../../src/engine/plugin.ts'
import type { Response } from './jar.ts'

/** Empty if the visit itself began there: its responses are those of the page. */
export function entranceResponses(entrances: Entrances | null, visited: string | undefined): readonly Response[] {
  if (entrances === null || entrances.http.url === visited) return []
  const { http } = entrances
  return [http, ...(http.followed ?? [])].map(({ url, set_cookies = [] }) => ({
    url,
    headers: set_cookies.map(field => ['set-cookie', field] as const),
  }))
}

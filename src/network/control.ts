// A host that certainly answers on a port: what proves the way out when no connection was answered lately.

export interface Control {
  readonly host: string
  readonly port: number
}

export const HTTPS_PORT = 443

/** `host`, `host:8443`, `[2001:db8::1]:443`; null when it is none of them. */
export function parseControl(text: string): Control | null {
  if (!URL.canParse(`https://${text}`)) return null
  const { hostname, port, pathname, username } = new URL(`https://${text}`)
  if (pathname !== '/' || username !== '') return null
  return { host: hostname, port: port === '' ? HTTPS_PORT : Number(port) }
}

// Whether browsers have the page's host on their HSTS preload list.

export interface HstsPreload {
  /** The host of the page, after redirects. */
  readonly host: string
  /** Browsers use HTTPS for the host from the first visit on, whatever it sends. */
  readonly preloaded: boolean
}

// How Chromium is started: what keeps it to our proxy, what bounds it, and what it must not do by itself. Its own switches are the
// only way to most of this; the proxy and, where there is one, the egress firewall hold whatever a switch does.

/** What a page could reach the network by without our proxy, or let others know of a check by. */
const NETWORK = [
  // A context of each visit has its own proxy. What belongs to none, such as updates, finds nobody at this port.
  '--proxy-server=http://127.0.0.1:1',
  // Without this, loopback addresses are contacted directly.
  '--proxy-bypass-list=<-loopback>',
  // No name is ever looked up: names go to the proxy as they are.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--dns-prefetch-disable',
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-component-extensions-with-background-pages',
  '--disable-domain-reliability',
  '--disable-client-side-phishing-detection',
  '--disable-sync',
  '--disable-default-apps',
  '--disable-extensions',
  '--no-pings',
  '--no-first-run',
  '--no-default-browser-check',
  '--metrics-recording-only',
] as const

/** What a visit has no use for, and what would open windows, devices or files. */
const CLOSED_FEATURES = [
  '--block-new-web-contents',
  '--deny-permission-prompts',
  '--disable-notifications',
  '--disable-speech-api',
  '--disable-print-preview',
  '--disable-3d-apis',
  '--disable-gpu',
  '--disable-software-rasterizer',
  '--disable-accelerated-2d-canvas',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--disable-search-engine-choice-screen',
  '--disable-infobars',
  '--noerrdialogs',
  '--mute-audio',
  '--hide-scrollbars',
  '--password-store=basic',
  '--use-mock-keychain',
  '--autoplay-policy=user-gesture-required',
  // Shared memory would be limited to 64 MiB in most containers.
  '--disable-dev-shm-usage',
] as const

const DISABLED_FEATURES = [
  'Prerender2',
  'SpeculationRulesPrefetchFuture',
  'PrefetchProxy',
  'NoStatePrefetch',
  'LoadingPredictorPrefetch',
  'WebRtcHideLocalIpsWithMdns',
  'MediaRouter',
  'DialMediaRouteProvider',
  'CastMediaRouteProvider',
  'OptimizationHints',
  'OptimizationGuideModelDownloading',
  'OptimizationTargetPrediction',
  'Translate',
  'CertificateTransparencyComponentUpdater',
  'AutofillServerCommunication',
  'InterestFeedContentSuggestions',
  'FedCm',
  'PrivateStateTokens',
  'BackForwardCache',
  'GlobalMediaControls',
  'AcceptCHFrame',
  'HttpsUpgrades',
  'DirectSockets',
  'WebUSB',
  'WebBluetooth',
  'AudioServiceOutOfProcess',
  'PaintHolding',
  // One process for a visit instead of one for each site in it: a visit has no secrets that a site could take from another, and the
  // number of processes is then ours. Visits are always in different processes.
  'IsolateOrigins',
  'site-per-process',
  'SpareRendererForSitePerProcess',
]

/** APIs of pages that reach the network by other means than requests. */
const DISABLED_BLINK = ['WebTransport', 'WebRTC', 'DirectSockets', 'FencedFrames', 'SharedStorageAPI']

export interface FlagOptions {
  /** Folder of the profile, which is removed afterwards. */
  readonly profile: string
  /** Chromium's own sandbox. */
  readonly sandbox: boolean
  /** MiB of the JavaScript heap of a page. */
  readonly heap_mb: number
}

/** Pages of 64 KiB of WebAssembly memory in a MiB. */
const WASM_PAGES = 16

export const flagsOf = ({ profile, sandbox, heap_mb }: FlagOptions): readonly string[] => [
  '--headless=new',
  '--remote-debugging-pipe',
  `--user-data-dir=${profile}`,
  '--disk-cache-size=1',
  ...NETWORK,
  ...CLOSED_FEATURES,
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
  `--disable-blink-features=${DISABLED_BLINK.join(',')}`,
  '--disable-site-isolation-trials',
  `--js-flags=--max-old-space-size=${heap_mb} --max-semi-space-size=8 --wasm-max-mem-pages=${heap_mb * WASM_PAGES}`,
  ...(sandbox ? [] : ['--no-sandbox']),
  'about:blank',
]

// Brands whose name stands on pages of others, and what for.

const names = (...lines: readonly string[]): ReadonlySet<string> => new Set(lines.flatMap(line => line.split(', ')))

/** Their names and logos stand in the log-ins and checkouts of others. */
export const MEANT = names(
  'Google, Facebook, Twitter, Apple, Apple ID, Microsoft, LinkedIn, GitHub, Yahoo, Amazon, PayPal, Steam, Discord',
  'VKontakte, Yandex, Mail.ru, LINE, KakaoTalk, Naver, WeChat, Instagram, WhatsApp, Telegram, YouTube, TikTok, Pinterest',
  'Twitch, Spotify, Slack, Dropbox, Visa, Mastercard, American Express, Discover, JCB, Klarna, Stripe, Alipay, Meta',
  'MetaMask, WalletConnect, Coinbase, Mozilla',
)

/** Their products run on hosts of their customers, with the maker's copyright line and icon. */
export const MAKERS = names(
  'Apple, Microsoft, Outlook, Office, Oracle, SAP, Adobe, GitLab, GitHub, Google, Atlassian, Cisco, Zimbra, WordPress',
  'Salesforce, IBM, Citrix, VMware, Synology, QNAP, Fortinet, Sophos, Plesk, cPanel, Shopify',
  'Wix, Squarespace, GoDaddy, Weebly, Hostinger, IONOS, Tumblr, Substack, Notion, HubSpot, Mailchimp, Okta, ServiceNow',
  'Workday, Zoho, Square, Typeform, Eventbrite, Vercel, Netlify',
)

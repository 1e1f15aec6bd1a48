// Free hosting providers. Anyone can create a site there anonymously, and most phishing pages use one.

/** Domains below which each customer gets a name. Being hosted there is a hint, not proof. */
export const freeHosting: ReadonlySet<string> = new Set(
  `000webhostapp.com altervista.org amplifyapp.com angelfire.com appspot.com azurestaticapps.net bitbucket.io
  blogspot.com bubbleapps.io byethost.com carrd.co cprapid.com duckdns.org firebaseapp.com ghost.io gitbook.io
  github.io gitlab.io glitch.me godaddysites.com herokuapp.com infinityfreeapp.com jimdofree.com jimdosite.com
  mystrikingly.com neocities.org netlify.app ngrok-free.app ngrok.app ngrok.io onrender.com pages.dev r2.dev repl.co
  replit.app replit.dev rf.gd site123.me square.site surge.sh tiiny.site trycloudflare.com vercel.app w3spaces.com
  web.app webador.com webflow.io weebly.com weeblysite.com wixsite.com wixstudio.com wordpress.com workers.dev
  yolasite.com`.split(/\s+/),
)

/** The hosting provider of the host, or null. `www` is the provider's own host. */
export function freeHostOf(hostname: string): string | null {
  const labels = hostname.replace(/^www\./, '').split('.')
  for (let i = 1; i < labels.length - 1; i++) {
    const parent = labels.slice(i).join('.')
    if (freeHosting.has(parent)) return parent
  }
  return null
}

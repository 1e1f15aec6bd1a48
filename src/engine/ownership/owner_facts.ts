// Networks and name servers that serve only their owner, by the owner's main domain in the brand table.

/**
 * Numbers of autonomous systems that announce only their owner's own services. An owner that also sells hosting or access is left
 * out, or only the number of its own services is here: a cloud's address proves nothing. From the registrations of the numbers at
 * ARIN and RIPE NCC, as of 2026-11; entries that were not certain are left out.
 */
export const OWN_NETWORKS: Readonly<Record<string, readonly number[]>> = {
  'apple.com': [714, 6185],
  'bankofamerica.com': [10794],
  'blizzard.com': [57976],
  'booking.com': [43996],
  'dropbox.com': [19679],
  'ebay.com': [62955],
  'facebook.com': [32934],
  'chase.com': [7743],
  'linkedin.com': [14413],
  'netflix.com': [2906, 40027],
  'paypal.com': [17012],
  'playstation.com': [33353],
  'riotgames.com': [6507],
  'roblox.com': [22697],
  'steampowered.com': [32590],
  'telegram.org': [59930, 62014, 62041],
  'twitch.tv': [46489],
  'twitter.com': [13414],
}

/**
 * Owners whose name servers, under their own domains, serve no zone of others: banks, carriers, shops and authorities that sell
 * neither domains nor hosting nor access. Whoever can add a zone to these servers works for the owner.
 */
export const OWN_NAME_SERVERS: ReadonlySet<string> = new Set(
  [
    'abnamro.nl americanexpress.com apple.com bankofamerica.com barclays.co.uk bbva.com bnpparibas.com capitalone.com chase.com',
    'citi.com commerzbank.de credit-agricole.fr deutsche-bank.de discover.com hsbc.com ing.com intesasanpaolo.com lloydsbank.com',
    'mastercard.com nationwide.co.uk natwest.com paypal.com rabobank.nl santander.com schwab.com societegenerale.fr td.com tdbank.com',
    'ubs.com unicredit.it usbank.com visa.com wellsfargo.com westpac.com.au commbank.com.au anz.com nab.com.au rbc.com scotiabank.com',
    'dhl.com dhl.de deutschepost.de fedex.com ups.com usps.com royalmail.com dpd.com postnl.nl bpost.be correos.es canadapost.ca',
    'facebook.com meta.com instagram.com whatsapp.com netflix.com linkedin.com dropbox.com ebay.com walmart.com homedepot.com ikea.com',
    'adidas.com nike.com bahn.de lufthansa.com irs.gov ssa.gov',
  ].flatMap(line => line.split(' ')),
)

// The brands that phishing pages most often pretend to be, by the names that title their log-in pages, and their domains.

export interface Brand {
  readonly brand: string
  /** Lower case words. Names that are also everyday words, or software that others host, stand with a second word. */
  readonly names: readonly string[]
  /** Registrable domains of their own, and public suffixes: top-level domains in which they alone register names. */
  readonly domains: readonly string[]
}

const split = (list: string): string[] => list.split(',').map(entry => entry.trim())

const brand = (name: string, names: string, domains: string): Brand => ({
  brand: name,
  names: split(names),
  domains: split(domains),
})

export const brands: readonly Brand[] = [
  brand(
    'Microsoft',
    'microsoft account, microsoft online, microsoft 365, sign in to microsoft, onedrive, office 365',
    'microsoft.com, microsoftonline.com, live.com, office.com, office365.com, outlook.com, sharepoint.com, onedrive.com, azure.com, windows.net, msn.com, bing.com, skype.com, xbox.com, microsoft365.com, cloud.microsoft, microsoft, office, azure, windows, xbox, skype, bing',
  ),
  brand(
    'Google',
    'google account, google accounts, gmail, google drive, google docs, sign in google',
    'google.com, gmail.com, youtube.com, googlemail.com, android.com, withgoogle.com, blogger.com, goo.gl, google, gmail, youtube, android',
  ),
  brand(
    'Apple',
    'apple id, apple account, icloud, find my iphone',
    'apple.com, icloud.com, me.com, cdn-apple.com, apple',
  ),
  brand(
    'Amazon',
    'amazon, amazon prime',
    'amazon.com, amazon.co.uk, amazon.de, amazonaws.com, aws.com, a2z.com, amazon.dev, amazon, aws',
  ),
  brand('Facebook', 'facebook', 'facebook.com, fb.com, messenger.com, meta.com, workplace.com'),
  brand('Instagram', 'instagram', 'instagram.com, meta.com'),
  brand('WhatsApp', 'whatsapp', 'whatsapp.com, whatsapp.net, meta.com'),
  brand('Telegram', 'telegram web, telegram login, log in telegram', 'telegram.org, t.me, telegram.me'),
  brand('LinkedIn', 'linkedin', 'linkedin.com'),
  brand('TikTok', 'tiktok', 'tiktok.com, bytedance.com'),
  brand('Snapchat', 'snapchat', 'snapchat.com, snap.com'),
  brand('X', 'log in to x, login on x, log in to twitter', 'x.com, twitter.com'),
  brand('PayPal', 'paypal', 'paypal.com, paypal.me, paypalobjects.com, venmo.com'),
  brand('Stripe', 'stripe login, stripe dashboard', 'stripe.com'),
  brand('Netflix', 'netflix', 'netflix.com, netflix'),
  brand('Spotify', 'spotify', 'spotify.com'),
  brand('Disney+', 'disney plus', 'disneyplus.com, disney.com'),
  brand('eBay', 'ebay', 'ebay.com, ebay.co.uk, ebay.de'),
  brand(
    'Adobe',
    'adobe id, adobe account, adobe document cloud, adobe acrobat, adobe sign',
    'adobe.com, adobelogin.com',
  ),
  brand('Dropbox', 'dropbox', 'dropbox.com, dropboxusercontent.com'),
  brand('DocuSign', 'docusign', 'docusign.com, docusign.net'),
  brand('WeTransfer', 'wetransfer', 'wetransfer.com, we.tl'),
  brand('Yahoo', 'yahoo mail, yahoo account, yahoo login', 'yahoo.com, yahoo.co.jp, yahooinc.com, yahoo'),
  brand('AOL', 'aol mail, aol login', 'aol.com, aol'),
  brand(
    'Steam',
    'steam community, steamcommunity, steam login',
    'steampowered.com, steamcommunity.com, valvesoftware.com',
  ),
  brand('Roblox', 'roblox', 'roblox.com'),
  brand('Discord', 'discord login, discord nitro', 'discord.com, discord.gg, discordapp.com'),
  brand('Epic Games', 'epic games, fortnite', 'epicgames.com, fortnite.com'),
  brand('DHL', 'dhl', 'dhl.com, dhl.de, dpdhl.com, dhlparcel.nl, dhl'),
  brand('FedEx', 'fedex', 'fedex.com, fedex'),
  brand('UPS', 'ups tracking, ups my choice, united parcel service', 'ups.com, ups'),
  brand('USPS', 'usps', 'usps.com'),
  brand('Royal Mail', 'royal mail', 'royalmail.com, royalmail.co.uk'),
  brand('La Poste', 'la poste, chronopost, colissimo', 'laposte.fr, laposte.net, chronopost.fr, colissimo.fr'),
  brand('Deutsche Post', 'deutsche post', 'deutschepost.de, dhl.de'),
  brand('Swiss Post', 'swiss post, die schweizerische post', 'post.ch, swisspost.ch'),
  brand('DPD', 'dpd', 'dpd.com, dpd.de, dpd.co.uk, dpd.fr'),
  brand('Evri', 'evri', 'evri.com'),
  brand(
    'Chase',
    'chase bank, chase online, jpmorgan chase',
    'chase.com, jpmorgan.com, jpmorganchase.com, chase, jpmorgan',
  ),
  brand('Bank of America', 'bank of america', 'bankofamerica.com, bofa.com'),
  brand('Wells Fargo', 'wells fargo', 'wellsfargo.com'),
  brand('Citibank', 'citibank', 'citi.com, citibank.com, citibankonline.com, citi'),
  brand('Capital One', 'capital one', 'capitalone.com, capitalone.co.uk, capitalone'),
  brand('American Express', 'american express', 'americanexpress.com, aexp.com, americanexpress, amex'),
  brand('HSBC', 'hsbc', 'hsbc.com, hsbc.co.uk, hsbc.com.hk, hsbcnet.com, hsbc'),
  brand('Barclays', 'barclays, barclaycard', 'barclays.co.uk, barclays.com, barclaycard.co.uk, barclays, barclaycard'),
  brand('Lloyds', 'lloyds bank', 'lloydsbank.com, lloydsbank.co.uk, lloydsbanking.com'),
  brand('Santander', 'santander', 'santander.com, santander.co.uk, santander.es, santanderbank.com'),
  brand('BBVA', 'bbva', 'bbva.com, bbva.es, bbva'),
  brand('ING', 'ing diba, ing banking, ing bank', 'ing.com, ing.de, ing.nl'),
  brand('Deutsche Bank', 'deutsche bank', 'deutsche-bank.de, db.com'),
  brand('Sparkasse', 'sparkasse', 'sparkasse.de, dsgv.de'),
  brand('Commerzbank', 'commerzbank', 'commerzbank.de, commerzbank.com'),
  brand('BNP Paribas', 'bnp paribas', 'bnpparibas.com, bnpparibas.net, bnpparibas'),
  brand('Crédit Agricole', 'credit agricole', 'credit-agricole.fr, credit-agricole.com'),
  brand('Revolut', 'revolut', 'revolut.com'),
  brand('Wise', 'wise login, transferwise', 'wise.com, transferwise.com'),
  brand('Coinbase', 'coinbase', 'coinbase.com'),
  brand('Binance', 'binance', 'binance.com, binance.us'),
  brand('Kraken', 'kraken login, kraken exchange', 'kraken.com'),
  brand('MetaMask', 'metamask', 'metamask.io'),
  brand('Ledger', 'ledger live, ledger wallet', 'ledger.com'),
  brand('Trezor', 'trezor', 'trezor.io'),
  brand('Blockchain.com', 'blockchain wallet, blockchain com', 'blockchain.com'),
  brand('AT&T', 'at t login, att login, at t mail', 'att.com, att.net'),
  brand('Orange', 'orange espace client, orange webmail', 'orange.fr, orange.com, orange'),
  brand('IRS', 'internal revenue service', 'irs.gov'),
  brand('impots.gouv.fr', 'impots gouv', 'impots.gouv.fr, gouv.fr'),
  brand('HMRC', 'hmrc', 'gov.uk, hmrc.gov.uk'),
  brand('Ameli', 'ameli assurance maladie, assurance maladie', 'ameli.fr'),
]

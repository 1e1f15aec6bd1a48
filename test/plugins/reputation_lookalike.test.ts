import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { judgeLookalike } from '../../plugins/reputation/lookalike/judge.ts'
import { brands } from '../../src/knowledge/brands/brands.ts'
import { configuredBrands } from '../../src/knowledge/brands/configured_brands.ts'
import { identify } from '../../src/targets/identity.ts'
import { assertCheap } from '../cpu.ts'

const judge = (name: string) => judgeLookalike(name, identify(name).owner)
const words = (list: string): string[] => list.split(/\s+/).filter(word => word !== '')

/** Names and the brand that each passes for: `name Brand`, between commas. */
const rows = (list: string): [name: string, brand: string][] =>
  list
    .trim()
    .split(',')
    .map(line => {
      const [name = '', ...rest] = line.trim().split(' ')
      return [name, rest.join(' ')]
    })

const accused: Readonly<Record<string, string>> = {
  homograph: `
    xn--l-7sba6dbr.com PayPal, xn--80ak6aa92e.com Apple, xn--ggle-55da.com Google, xn--ggle-vifa.com Google,
    xn--microsft-login-0zl.com Microsoft, xn--pypal-4ve.com PayPal, xn--aypal-2ce.com PayPal,
    xn--fcebook-2fg.com Facebook, xn--ntflix-3of.com Netflix, xn--nstagram-shh.com Instagram,
    xn--coinbse-6fg.com Coinbase, xn--binnce-5nf.com Binance, xn--watsapp-uch.com WhatsApp,
    xn--dropbx-72e.com Dropbox, xn--stemcommunity-y1k.com Steam, xn--witter-h1e.com Twitter,
    xn--potify-hvf.com Spotify, xn--pypal-rqa.com PayPal, xn--gogle-dua.com Google, xn--mazon-wqa.com Amazon,
    xn--metamsk-t4a.io MetaMask, xn--norda-esa.xyz Nordea, login.xn--pypal-4ve.com PayPal
  `,
  lookalike_letters: `
    paypa1.com PayPal, g00gle.com Google, goog1e.com Google, rnicrosoft.com Microsoft, micr0soft-login.com Microsoft,
    arnazon.com Amazon, amaz0n-account.com Amazon, faceb00k.com Facebook, lnstagram.com Instagram,
    1nstagram-verify.com Instagram, netfl1x.com Netflix, netfIix.com Netflix, c0inbase.com Coinbase,
    b1nance.com Binance, metarnask.io MetaMask, wha7sapp.com WhatsApp, tvvitter.com Twitter, dlscord.com Discord,
    cliscord.gift Discord, d1scord-nitro.com Discord, stearncommunity.com Steam, steamcornmunity.ru Steam,
    app1e.com Apple, we11sfargo.com Wells Fargo, linkedln.com LinkedIn, paypai.com PayPal, secure-paypa1.com PayPal,
    micros0ft.evil.com Microsoft, xn--linkedn-wfb.com LinkedIn, xn--inkedin-mjb.com LinkedIn
  `,
  typo: `
    paypla.com PayPal, payapl.com PayPal, paypl.com PayPal, gogle.com Google, googel.com Google, gooogle.com Google,
    amzon.com Amazon, amaozn.com Amazon, anazon.com Amazon, facebok.com Facebook, faceboook.com Facebook,
    facebokk.com Facebook, fcaebook.com Facebook, microsfot.com Microsoft, micosoft.com Microsoft,
    microsofft.com Microsoft, netlfix.com Netflix, netfliix.com Netflix, netflixx.com Netflix,
    instagarm.com Instagram, instgram.com Instagram, whatsap.com WhatsApp, linkedn.com LinkedIn, discrod.com Discord,
    coinbsae.com Coinbase, conbase.com Coinbase, binnance.com Binance, matamask.io MetaMask, metamaks.io MetaMask,
    dropboxx.com Dropbox, spotifi.com Spotify, steamcomunity.com Steam, stemcommunity.com Steam,
    wellsfrago.com Wells Fargo, bankofamerca.com Bank of America, barclyas.com Barclays, santandar.com Santander,
    docusgin.com DocuSign, aliexprss.com AliExpress, face-book.com Facebook, pay-pal.com PayPal,
    net-flix.com Netflix, roblxo.com Roblox, secure-netflx.com Netflix, paypals.com PayPal, netflixs.com Netflix,
    ebays.com eBay, instagrams-login.com Instagram, insta-gram.com Instagram, citi-bank.com Citibank,
    ci-tibank.com Citibank, commerz-bank.com Commerzbank, klrana.com Klarna, fdeex.com FedEx, airbbn.com Airbnb
  `,
  brand_word: `
    secure-paypal-login.com PayPal, paypal-login.com PayPal, paypallogin.com PayPal, securepaypal.com PayPal,
    paypal-verification.net PayPal, www-paypal-com.com PayPal, my-paypal-account-update.info PayPal,
    login-microsoftonline.com Microsoft, microsoft-account-security.com Microsoft, office365-login.net Microsoft,
    onedrive-share.com Microsoft, google-security-alert.com Google, gmailsignin.com Google,
    apple-id-verify.com Apple ID, appleid-support.com Apple ID, icloud-unlock.com Apple ID, apple-verify.com Apple,
    netflix-billing-update.com Netflix, netflix-payment.com Netflix, facebook-security-team.com Facebook,
    facebookverify.com Facebook, instagram-copyright-appeal.com Instagram, instagram-verified-badge.com Instagram,
    whatsapp-web-login.com WhatsApp, discord-nitro-giveaway.com Discord, steamcommunity-trade.ru Steam,
    steam-login.com Steam, amazon-refund.com Amazon, amazonaccountverify.com Amazon, ebay-buyer-refund.com eBay,
    dhl-delivery-tracking.com DHL, dhlparcel-redelivery.com DHL, fedex-tracking.net FedEx, usps-redelivery.com USPS,
    usps-tracking-fee.top USPS, royalmail-redelivery.com Royal Mail, evri-verify.com Evri, dpd-paket.info DPD,
    chase-login.com Chase, wellsfargo-online-secure.com Wells Fargo, bankofamerica-alert.com Bank of America,
    capitalone-verify.com Capital One, hsbc-secure.com HSBC, lloydsbank-security.com Lloyds,
    santander-acceso.com Santander, bbva-seguridad.com BBVA, sparkasse-sicherheit.de Sparkasse,
    commerzbank-anmeldung.com Commerzbank, ing-bank-login.com ING, postfinance-anmelden.com PostFinance,
    credit-agricole-connexion-compte.fr Crédit Agricole, ameli-remboursement-compte.fr Ameli,
    carte-vitale-suivi.fr Ameli, hmrc-refund.com GOV.UK, metamask-wallet.com MetaMask,
    metamaskwalletrecovery.com MetaMask, coinbase-support.com Coinbase, binance-airdrop.org Binance,
    ledger-live-wallet.com Ledger Live, trustwallet-verify.com Trust Wallet,
    walletconnect-sync-restore.com WalletConnect, walletconnectsecure.com WalletConnect, opensea-claim.com OpenSea,
    uniswap-airdrop.com Uniswap, verizon-billing.com Verizon, xfinity-webmail.com Comcast, orange-compte.fr Orange,
    paypal-login.evil.com PayPal, paypal-login.weebly.com PayPal, paypal-login.github.io PayPal,
    paypal-login.s3.amazonaws.com PayPal, secure-netflix.web.app Netflix, secure-ledger.com Ledger,
    krakensupport.com Kraken, chase-konto-entsperren.de Chase, upstracking.com UPS, paypal-konto-pruefung.de PayPal,
    paypal-mise-a-jour.com PayPal, dhl-colis-reprogrammer.fr DHL, santander-tarjeta-bloqueada.es Santander,
    bbva-verificar-cuenta.com BBVA, area-clienti-netflix.com Netflix, tim-aggiornamento-dati.it TIM,
    paypal-conta-bloqueada.com PayPal, netflix-fatura-atrasada.com Netflix, rabobank-gegevens-bevestigen.nl Rabobank,
    dpd-doplata-paczka.pl DPD, allegrologowanie.com Allegro
  `,
  other_suffix: `
    paypal.org PayPal, netflix.app Netflix, metamask.info MetaMask, coinbase.ai Coinbase,
    login.whatsapp.info WhatsApp
  `,
  brand_subdomain: `
    paypal.com.evil.top PayPal, www.paypal.com.secure.evil.com PayPal, paypal.com-login.top PayPal,
    amazon.co.jp.accounts.xyz Amazon, account-update.amazon.co.jp.am21cp.buzz Amazon,
    login.microsoftonline.com.evil.net Microsoft, accounts.google.com.signin.evil.org Google,
    appleid.apple.com.verify.evil.cn Apple, barclays.co.uk.evil.com Barclays, www.facebook.com.evil.ga Facebook,
    steamcommunity.com.trade.ru Steam, facebook.com-id7.cf Facebook, irs.gov.refund.com IRS,
    netflix.billing.evil.com Netflix, paypal.account-verify.com PayPal, metamask.webflow.io MetaMask,
    coinbase.blogspot.com Coinbase, paypal.netlify.app PayPal, paypal.pages.dev PayPal, paypal.weebly.com PayPal,
    t-mobile.rtybh.one T-Mobile, bradesco.topazempresa.digital Bradesco
  `,
  tld_swap: `
    paypal.top PayPal, netflix.xyz Netflix, coinbase.online Coinbase, metamask.club MetaMask, facebook.tk Facebook,
    instagram.ml Instagram, whatsapp.live WhatsApp, binance.vip Binance, dhl.xyz DHL, hsbc.shop HSBC
  `,
}

/** Own domains, national sites, honest words and firms, IDNs, and names that merely mention a brand. */
const cleared: Readonly<Record<string, string>> = {
  'brands at home': `
    paypal.com www.paypal.com login.paypal.com paypal.me paypalobjects.com google.com accounts.google.com youtube.com
    apple.com appleid.apple.com icloud.com amazon.com amazonaws.com s3.amazonaws.com login.microsoftonline.com
    microsoft.com live.com outlook.com facebook.com facebookmail.com chase.com t-mobile.com coca-cola.com dhl.de
    paypal-community.com steamcommunity.com metamask.io blog.google mabanque.bnpparibas home.barclays www.gov.uk
    citicards.com amazon.com.be uniswap.org crash.steampowered.com norton.com.trafficmanager.net tax.service.gov.uk impots.gouv.fr ebay-kleinanzeigen.de disneyplus.com verizonwireless.com
  `,
  'national sites': `
    amazon.de amazon.co.uk amazon.co.jp amazon.com.br google.fr google.co.uk google.com.au google.tk ebay.fr ebay.co.uk
    paypal.de netflix.de spotify.se airbnb.it ikea.pl lidl.ch decathlon.it vodafone.ro orange.pl santander.pl
    dhl.example.com netflix.example.com booking.cn samsung.kz coca-cola.pl deutsche-bank.it credit-agricole.it allianz-assistance.es alibabacloud.com.hk
    microsoft.net nike.net
  `,
  'honest words that hold a brand': `
    pineapple.com applebees.com grapple.com snapple.com apples.com applewood.org appleton.edu dapple.io chapel.com
    purchase.com chaser.com chasewood.com targeted.com steampunk.com livestream.com upstream.com groups.com startups.com
    pickups.net cups.com wiseman.com otherwise.org likewise.co visage.com advisa.se oranges.org meta-analysis.com metabolism.org
    squarefeet.com zoomania.com shellfish.com lineage.org pipeline.com deadline.com online-banking.com slackline.com
    orangetheory.com discovery.com rediscover.org bellevue.edu rogersville.gov threepenny.com freedom.org cashapple.com
    canvas.com doctrine.org microsoftware.com amazonian.com amazonas.gov.br paypalooza.com nikelodeon.com dellwood.com
    oktoberfest.de etsyville.com ubereck.de signalling.org outlooker.com
  `,
  'honest neighbours of a brand': `
    finance.com papal.org goggle.com goggles.com amazone.de amazonas.de openal.org revolt.com barclay.edu cloud.com telecom.kz applied.com
    discard.com twister.com trevor.com telegraph.co.uk instant.com faceoff.com notebook.com yahweh.org bing.org
    coinage.org steamers.com horizon.com easynet.co.uk citybank.com allpay.com bigpanda.io
  `,
  'honest plurals, hyphens and swaps': `
    apples.com oranges.org canvas.com targets.org ledgers.net chases.com boxes.com dhls.com att-mail.com royal-mail.com
    over-stock.org engine.com andra.se linkit.com
  `,
  'a brand’s word under a suffix that says nothing': `
    orange.org apple.net ledger.info chase.info dhl.org dpd.net paypal.dk netflix.cl genshinimpact.com
  `,
  'honest names with a lure, and no brand or not only lures beside it': `
    ledger-enquirer.com publicledger.com orange-coast.com target-marketing.com kartenabrechnung.de kontopruefung.de
    steam-boat-tracking-tours.com windows-world.com otto-fuchs-kunden-magazin.de mise-a-jour.fr area-clienti.it
    allegro-dance.pl hermes-fashion.it discover-conto-arte.com momoclo.net
  `,
  'names that mention a brand': `
    amazon-rainforest.org apple-orchard.com apple-watch-repair.com orange-county.com chase-the-sun.com visa-application.com
    paypal-alternatives.com netflix-guide.com facebook-marketing.de samsung-galaxy-blog.com iphone-repair.com
    target-shooting.com discover-london.com wise-words.org line-dance.com line-support.com signal-alerts.com
    steam-cleaning.com zoom-lens.com oracle-cards.com windows-cleaning.co.uk office-supplies.com uber-cool.com
    raiffeisenbank-heroldsbach.de wordpress-blog.net spotify.example.com facebook.smith.com github.company.com
    netflix.github.io paypal.github.io uber.atlassian.net apple.com.edgekey.net paypal.com.akadns.net
  `,
  'names in Unicode': `
    xn--bcher-kva.de xn--mller-kva.de xn--mnchen-3ya.de xn--d1acpjx3f.xn--p1ai xn--h1alffa9f.xn--p1ai
    xn--crdit-agricole-ckb.fr xn--socit-gnrale-eebbcb.fr xn--orang-fsa.fr xn--caf-dma.com xn--strae-oqa.de
    xn--wgv71a119e.jp xn--espaa-rta.es xn--land-poa.fi xn--e1afmkfd.xn--p1ai xn--bb-eka.at xn--zrich-kva.ch xn--a xn--99999999.com
  `,
}

describe('the look-alike judgement', () => {
  for (const [kind, list] of Object.entries(accused)) {
    for (const [name, brand] of rows(list)) {
      it(`says that ${name} passes for ${brand} (${kind})`, () => {
        const found = judge(name.toLowerCase())
        assert.deepEqual([found?.brand, found?.kind], [brand, kind])
      })
    }
  }

  for (const [title, list] of Object.entries(cleared)) {
    it(`accuses no ${title}`, () => {
      assert.deepEqual(
        words(list).flatMap(name => judge(name) ?? []),
        [],
      )
    })
  }

  it('is tested by at least 120 names it accuses and 80 it does not', () => {
    assert.ok(Object.values(accused).flatMap(rows).length >= 120)
    assert.ok(Object.values(cleared).flatMap(words).length >= 80)
  })

  it('reports the brand, its main domain, the reason and the confidence', () => {
    assert.deepEqual(judge('secure-paypal-login.com'), {
      brand: 'PayPal',
      domain: 'paypal.com',
      kind: 'brand_word',
      detail: '"secure-paypal-login" contains "paypal" with words that request an action.',
      strength: 0.9,
    })
    assert.deepEqual(judge('xn--pypal-4ve.com'), {
      brand: 'PayPal',
      domain: 'paypal.com',
      kind: 'homograph',
      detail: '"xn--pypal-4ve" is "paypal" in letters of another script, mixing Latin and Cyrillic.',
      strength: 0.95,
    })
    assert.deepEqual(judge('www.paypal.com.evil.top'), {
      brand: 'PayPal',
      domain: 'paypal.com',
      kind: 'brand_subdomain',
      detail: '"paypal.com" is a prefix of evil.top, a domain the brand does not own.',
      strength: 0.95,
    })
  })

  const strengths: readonly [name: string, strength: number][] = [
    ['paypal-login.com', 0.9],
    ['paypal-login-maria.com', 0.6],
    ['apple-verify.com', 0.5],
    ['paypal-online.com', 0.3],
    ['paypa1.com', 0.85],
    ['secure-paypa1.com', 0.95],
    ['paypla.com', 0.7],
    ['paypal.top', 0.5],
    ['paypal.org', 0.2],
    ['paypals.com', 0.4],
    ['paypal-konto-pruefung.de', 0.9],
    ['secure-ledger.com', 0.35],
    ['ledger-konto.com', 0.5],
    ['paypal-login.evil.com', 0.81],
  ]
  for (const [name, strength] of strengths) {
    it(`is ${strength} sure of ${name}`, () => assert.equal(judge(name)?.strength, strength))
  }

  it('knows the operator’s own brands beside the others', () => {
    const own = {
      brands: configuredBrands([
        { brand: 'Acme Bank', names: ['Acme Bank'], domains: ['acmebank.example', 'acme.bank'] },
      ]),
    }
    const judged = (name: string) => judgeLookalike(name, name, own)?.brand
    assert.deepEqual(
      [judged('acmebank-login.com'), judged('acmebank.example'), judged('paypal-login.com')],
      ['Acme Bank', undefined, 'PayPal'],
    )
    assert.equal(judge('acmebank-login.com'), null)
  })

  it('costs no more for 50 names than a walk over two mebibytes', () => {
    const names = [
      ...Object.values(accused)
        .flatMap(rows)
        .map(([name]) => name),
      ...Object.values(cleared).flatMap(words),
    ]
    const pairs = names.map(name => [name, identify(name).owner] as const)
    const judgeAll = () => {
      for (const [name, registrable] of pairs) judgeLookalike(name, registrable)
    }
    assertCheap(judgeAll, pairs.length / 50, 20)
  })

  it('costs no more for the longest and worst of names than two fifths of a walk', () => {
    const worst = [
      `${'paypal'.repeat(10)}.`.repeat(4),
      `${'cocoidme'.repeat(7)}.`.repeat(4),
      `${'1'.repeat(63)}.`.repeat(3),
      'a-'.repeat(31),
    ]
    const times = 20
    for (const below of worst) {
      const name = `${below}x.evil.com`.slice(-253)
      const judge = () => {
        for (let time = 0; time < times; time++) judgeLookalike(name, 'evil.com')
      }
      assertCheap(judge, 0.4 * times, 20)
    }
  })
})

describe('the brands', () => {
  it('are more than a thousand, each with words and a home', () => {
    assert.ok(brands.length >= 1_300)
    for (const { name, words, brandWords, domains } of brands) {
      assert.ok(brandWords.length > 0 && domains.length > 0, name)
      assert.ok(
        words.every(word => /^[a-z0-9]{3,}$/.test(word)),
        name,
      )
      assert.ok(
        domains.every(domain => /^[a-z0-9.-]+$/.test(domain)),
        name,
      )
    }
  })

  it('are not accused of themselves', () => {
    const homes = brands.flatMap(({ domains }) => domains)
    assert.deepEqual(
      homes.filter(domain => judge(domain) !== null || judge(`login.${domain}`) !== null),
      [],
    )
  })
})

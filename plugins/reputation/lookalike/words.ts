// Lures in deceptive names, and innocent words that are one typo away from a brand.

const split = (list: string): string[] => list.split(/\s+/).filter(word => word !== '')

/** Words that request a log-in: with them, even an everyday word means the brand. */
export const credentialLures: ReadonlySet<string> = new Set(
  split(`
  login logon signin signon verify verified verification verifying password passcode unlock locked suspended suspension
  account accounts authenticate authentication reactivate anmelden anmeldung konto kundenkonto compte connexion cuenta
  acceso verificar verificacion accedi verifica conta inloggen verificatie logowanie giris hesap
  `),
)

/** Words that request a secret, money or an action, in the most frequently seen languages. */
export const strongLures: ReadonlySet<string> = new Set(
  split(`
  login logon signin signon verify verified verification verif verifying confirm confirmation validate validation
  secure secured security account accounts acct auth authenticate authentication authorize authorise identity
  password passcode otp mfa sso update updates upgrade unlock locked unblock blocked suspend suspended suspension restricted
   limitation recover recovery restore reset reactivate activate activation billing bill payment payments 
  refund refunds invoice invoices transaction transfer claim claims airdrop airdrops giveaway bonus reward rewards prize winner
    giftcard wallet wallets migrate migration webmail alert alerts notice
  notification notifications violation appeal dispute resolution unusual session 
  cancel cancellation membership subscription abonnement renew renewal expired authentification protection acces extension
  tracking track redelivery reschedule parcel parcels package delivery deliver customs fee fees toll unpaid outstanding
  seedphrase paynow helpdesk support banking ebanking onlinebanking netbanking token tokens dapp staking mint presale
  anmelden anmeldung konto kunden kundenservice sicherheit bestaetigung bestaetigen verifizieren aktualisieren zahlung rechnung
  paket sendung lieferung zustellung kundenkonto
  compte comptes connexion securite verifier paiement facture remboursement colis livraison suivi 
  cuenta cuentas acceso seguridad verificar verificacion ingreso pago pagos factura paquete entrega clave
  accesso accedi sicurezza verifica pagamento pacco spedizione rimborso conferma 
  conta seguranca acesso pagamento fatura rastreio 
  inloggen beveiliging rekening betaling pakket bezorging verificatie betaal
  logowanie platnosc przesylka paczka dostawa
  giris hesap dogrulama guvenlik odeme 
  `),
)

/** Official-sounding words; legitimate sites use them too. */
export const softLures: ReadonlySet<string> = new Set(
  split(`
  online official service services center centre help helpline care contact customer customers team web website app apps
  portal access id user users member members mail email my home main net com www http https html php index
  digital mobile cloud server host admin system info page pages form forms docs doc file files share shared view document
  documents drive chat live desk office room free promo offer offers deal deals sale store shop market outlet discount coupon
  event vip plus pro premium nitro card cards credit bank finance business global world international usa us uk eu de fr it es
  nl be ch at pl br mx au ca in jp cn asia europe inc corp ltd llc group co
  pay connect connection device devices client clients ticket gift gifts sync safe safety limited espace envio envios pin get
  check feedback manage manager create beta partner partners express money buy chrome android ios windows mac join open
  exchange trade trading swap defi nft crypto coin bridge app download install setup start link redirect click 
  kontakt hilfe aktuell benutzer aide assistance actualizacion ayuda cliente servicio servizio clienti ajuda atendimento
  `),
)

/** Innocent words, names and companies that resemble a brand. Written without hyphens. */
export const honest: ReadonlySet<string> = new Set(
  split(`
  papal goggle goggles googol amazonia amazonas amazone amazona amazons openal discard discords applied telecom telecoms mobistar easynet
  bigpanda coinmarketcal allpay aipay aliplay aglipay barclay revolt revolute spottily walkmart twister finance netteller finansonline corteos wmtransfer googie googiehost googies
  `),
)

/** Generic parts of brand words; the rest of the word must carry the resemblance. */
const genericParts =
  /bank|post|mail|mobile|online|card|cloud|pass|jet|telecom|express|parcel|market|wallet|games|support/g

/** Number of letters of a brand word that are its own. */
export const ownLetters = (word: string): number => word.replace(genericParts, '').length

/** Brand words that are short or generic but are imitated deliberately. */
export const famous: ReadonlySet<string> = new Set(split('paypal google amazon roblox tiktok github aliexpress'))

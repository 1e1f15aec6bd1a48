// What a page tells its visitors to do, in the languages of the lures. Alone, honest pages tell the same: it counts beside a
// brand's look, or where the pretext is one that no honest page has.
import type { PageFacts } from './page_model/facts.ts'

export type ActId = 'claim' | 'verify' | 'connect' | 'pay' | 'scan' | 'code' | 'update'

interface Act {
  readonly id: ActId
  /** Completes "tells its visitors to". */
  readonly says: string
  /** By language (ISO 639-1), for texts as `folded` writes them. */
  readonly in: Readonly<Record<string, RegExp>>
}

/** Characters of text that are read. */
const TEXT = 8_192

/** Lower case without accents, one space between words. */
export const folded = (text: string): string =>
  text
    .slice(0, TEXT)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/\s+/g, ' ')

export const acts: readonly Act[] = [
  {
    id: 'claim',
    says: 'claim something',
    in: {
      en: /\b(?:claim|collect|redeem|receive|win|get)\b[^.!?]{0,40}\b(?:rewards?|gifts?|prizes?|bonus|airdrop|tokens?|skins?|diamonds?|coins|robux|v-?bucks|voucher)\b|\bgiveaway\b|\bairdrop\b/,
      de: /(?:geschenk|pramie|bonus|gutschein|gewinn)[^.!?]{0,40}(?:sichern|erhalten|einlosen|abholen)|(?:sichern|erhalten|holen) sie[^.!?]{0,40}(?:geschenk|pramie|bonus|gutschein|gewinn)/,
      fr: /(?:recuper|reclam|obten|recev)\p{L}{0,6}[^.!?]{0,40}(?:cadeau|recompense|prime|lot\b)/u,
      es: /(?:reclam|obten|canje|recib)\p{L}{0,6}[^.!?]{0,40}(?:regalo|premio|recompensa|bono|diamantes)/u,
      pt: /(?:resgat|receb|reivindi|obten)\p{L}{0,6}[^.!?]{0,40}(?:premio|presente|recompensa|bonus|diamantes)/u,
      it: /(?:riscatt|otten|otti|ricev|riscuot)\p{L}{0,6}[^.!?]{0,40}(?:premio|regalo|ricompensa|bonus)/u,
      nl: /(?:claim|ontvang|verzilver)\p{L}{0,4}[^.!?]{0,40}(?:cadeau|prijs|beloning|bonus)/u,
      pl: /(?:odbierz|odbior|zdobadz|uzyskaj)[^.!?]{0,40}(?:nagrod|prezent|bonus)/,
      tr: /(?:odul|hediye|bonus)\p{L}{0,6}[^.!?]{0,20}(?:\bal\b|alin|kazan|talep)/u,
      id: /(?:klaim|claim|ambil|dapatkan)[^.!?]{0,40}(?:hadiah|bonus|diamond|skin)|(?:hadiah|diamond|skin)[^.!?]{0,40}(?:klaim|claim|gratis|dikirim)/,
      ru: /(?:получи|забери|забрать)\p{L}{0,4}[^.!?]{0,40}(?:приз|подарок|бонус|наград)/u,
    },
  },
  {
    id: 'verify',
    says: 'verify something',
    in: {
      en: /\b(?:verify|confirm|validate|restore|unlock|reactivate)\b[^.!?]{0,40}\b(?:account|identity|mailbox|payment|information|details|membership)\b|\baccount verification\b/,
      de: /(?:konto|identitat|daten|zahlung)[^.!?]{0,40}(?:bestatigen|verifizieren|aktualisieren|entsperren)|bestatigen sie[^.!?]{0,40}(?:konto|identitat|daten)/,
      fr: /(?:verifi|confirm|valid|debloqu)\p{L}{0,4}[^.!?]{0,40}(?:compte|identite|informations|paiement)/u,
      es: /(?:verifi|confirm|valid|desbloque)\p{L}{0,6}[^.!?]{0,40}(?:cuenta|identidad|datos|pago)/u,
      pt: /(?:verifi|confirm|valid|desbloque)\p{L}{0,6}[^.!?]{0,40}(?:conta|identidade|dados|pagamento)/u,
      it: /(?:verifi|conferm|convalid|sblocc)\p{L}{0,6}[^.!?]{0,40}(?:conto|account|identita|dati|pagamento)/u,
      nl: /(?:verifieer|bevestig|controleer|ontgrendel)[^.!?]{0,40}(?:rekening|account|identiteit|gegevens)/,
      pl: /(?:zweryfikuj|potwierdz|odblokuj)[^.!?]{0,40}(?:konto|tozsamosc|dane|platnosc)/,
      tr: /(?:hesab|kimlig|bilgi)\p{L}{0,8}[^.!?]{0,20}(?:dogrula|onayla)/u,
      id: /(?:verifikasi|memverifikasi|konfirmasi)[^.!?]{0,40}(?:akun|identitas|data)/,
      ru: /(?:подтверди|проверьте|верифицир)\p{L}{0,6}[^.!?]{0,40}(?:аккаунт|личность|данные|счет)/u,
    },
  },
  {
    id: 'connect',
    says: 'connect a wallet',
    in: {
      en: /\b(?:connect|link|import)\b[^.!?]{0,24}\bwallet\b/,
      de: /wallet[^.!?]{0,24}(?:verbinden|importieren)/,
      fr: /(?:connect|import)\p{L}{0,4}[^.!?]{0,24}(?:wallet|portefeuille)/u,
      es: /(?:conect|import)\p{L}{0,4}[^.!?]{0,24}(?:wallet|billetera|cartera)/u,
      pt: /(?:conect|import)\p{L}{0,4}[^.!?]{0,24}(?:wallet|carteira)/u,
      it: /(?:connett|colleg|import)\p{L}{0,4}[^.!?]{0,24}(?:wallet|portafoglio)/u,
      nl: /(?:verbind|koppel)\p{L}{0,3}[^.!?]{0,24}(?:wallet|portemonnee)/u,
      pl: /(?:polacz|podlacz)[^.!?]{0,24}portfel/,
      tr: /cuzdan\p{L}{0,6}[^.!?]{0,16}(?:bagla|ice aktar)/u,
      id: /(?:hubungkan|sambungkan|impor)[^.!?]{0,24}(?:wallet|dompet)/,
      ru: /(?:подключи|импорт)\p{L}{0,6}[^.!?]{0,24}кошел/u,
    },
  },
  {
    id: 'pay',
    says: 'pay a fee',
    in: {
      en: /\b(?:pay|settle|outstanding|unpaid)\b[^.!?]{0,50}\b(?:fee|toll|customs|duty|postage|shipping|delivery|fine|balance)\b/,
      de: /(?:gebuhr|zoll|maut|versandkosten|bussgeld)[^.!?]{0,50}(?:bezahlen|zahlen|begleichen|offen)/,
      fr: /(?:pay|regl|acquitt)\p{L}{0,4}[^.!?]{0,50}(?:frais|douane|peage|amende)/u,
      es: /(?:pag|abon)\p{L}{0,4}[^.!?]{0,50}(?:tasa|aduana|peaje|envio|multa)/u,
      pt: /(?:pag)\p{L}{0,4}[^.!?]{0,50}(?:taxa|alfandega|portagem|pedagio|envio|multa)/u,
      it: /(?:pag|sald)\p{L}{0,4}[^.!?]{0,50}(?:spese|dogana|pedaggio|spedizione|multa)/u,
      nl: /(?:betaal|voldoe)\p{L}{0,4}[^.!?]{0,50}(?:kosten|douane|tol\b|verzend|boete)/u,
      pl: /(?:zaplac|oplac|doplat)\p{L}{0,6}[^.!?]{0,50}(?:oplat|przesyl|paczk|mandat|clo)/u,
      tr: /(?:ucret|gumruk|kargo|gecis)\p{L}{0,6}[^.!?]{0,30}ode/u,
      id: /bayar[^.!?]{0,50}(?:biaya|bea|ongkir|denda|tol\b)/,
      ru: /оплат\p{L}{0,6}[^.!?]{0,50}(?:пошлин|доставк|сбор|штраф|посылк)/u,
    },
  },
  {
    id: 'scan',
    says: 'scan a code',
    in: {
      en: /\bscan\b[^.!?]{0,40}\b(?:qr|code)\b/,
      de: /(?:qr|code)[^.!?]{0,24}scannen|scannen sie/,
      fr: /scann\p{L}{0,4}[^.!?]{0,40}(?:qr|code)/u,
      es: /escane\p{L}{0,4}[^.!?]{0,40}(?:qr|codigo)/u,
      pt: /(?:escane|digitaliz|le[ri]a)\p{L}{0,4}[^.!?]{0,40}(?:qr|codigo)/u,
      it: /(?:scansion|inquadra)\p{L}{0,6}[^.!?]{0,40}(?:qr|codice)/u,
      nl: /scan[^.!?]{0,24}(?:qr|code)/,
      pl: /zeskanuj[^.!?]{0,40}(?:qr|kod)/,
      tr: /(?:qr|kod)\p{L}{0,4}[^.!?]{0,20}tara/u,
      id: /(?:pindai|scan)[^.!?]{0,24}(?:qr|kode)/,
      ru: /(?:отсканир|сканир)\p{L}{0,6}[^.!?]{0,40}(?:qr|код)/u,
    },
  },
  {
    id: 'code',
    says: 'enter a code elsewhere',
    in: {
      en: /\b(?:copy|enter|use|paste)\b[^.!?]{0,30}\b(?:device|activation|verification|this|following) code\b/,
      de: /(?:gerate|aktivierungs|bestatigungs)code[^.!?]{0,30}(?:eingeben|kopieren)/,
      fr: /(?:copi|sais|entr)\p{L}{0,5}[^.!?]{0,30}code (?:d’appareil|de verification|d'activation|suivant)/u,
      es: /(?:copi|introduz|ingres)\p{L}{0,5}[^.!?]{0,30}codigo (?:de|siguiente)/u,
      pt: /(?:copi|insir|digit)\p{L}{0,5}[^.!?]{0,30}codigo (?:de|a seguir)/u,
      it: /(?:copi|inseri)\p{L}{0,5}[^.!?]{0,30}codice (?:di|seguente)/u,
      nl: /(?:kopieer|voer)[^.!?]{0,30}(?:apparaat|verificatie|activatie)code/,
      pl: /(?:skopiuj|wpisz|wprowadz)[^.!?]{0,30}kod (?:urzadzenia|weryfikacyjny|aktywacyjny)/,
      tr: /(?:cihaz|dogrulama|etkinlestirme) kod\p{L}{0,6}[^.!?]{0,20}(?:gir|kopyala)/u,
      id: /(?:salin|masukkan)[^.!?]{0,30}kode (?:perangkat|verifikasi|aktivasi)/,
      ru: /(?:скопируи|введи)\p{L}{0,6}[^.!?]{0,30}код (?:устроиства|подтверждения|активации)/u,
    },
  },
  {
    id: 'update',
    says: 'update a device',
    in: {
      en: /(?:firmware|router|modem)[^.!?]{0,60}(?:updat|upgrad)|(?:updat|upgrad)\w{0,4}[^.!?]{0,60}(?:firmware|router|modem)/,
      de: /(?:firmware|router|modem)[^.!?]{0,60}aktualisier|aktualisier\w{0,4}[^.!?]{0,60}(?:firmware|router|modem)/,
      fr: /(?:mise a jour|mettre a jour|mettez a jour)[^.!?]{0,60}(?:firmware|micrologiciel|routeur|modem|box\b)/,
      es: /actualiz\p{L}{0,6}[^.!?]{0,60}(?:firmware|router|enrutador|modem)/u,
      pt: /atualiz\p{L}{0,6}[^.!?]{0,60}(?:firmware|roteador|modem)/u,
      it: /aggiorn\p{L}{0,6}[^.!?]{0,60}(?:firmware|router|modem)/u,
      nl: /(?:firmware|router|modem)[^.!?]{0,60}(?:bijwerk|bijgewerkt)|werk[^.!?]{0,40}(?:firmware|router|modem)/,
      pl: /(?:aktualizac|zaktualizuj)\p{L}{0,4}[^.!?]{0,60}(?:firmware|oprogramowani|router|modem)/u,
      tr: /(?:yazilim|modem|yonlendirici)\p{L}{0,6}[^.!?]{0,40}guncel/u,
      id: /(?:perbarui|pembaruan|update)[^.!?]{0,60}(?:firmware|router|modem)/,
      ru: /обнов\p{L}{0,6}[^.!?]{0,60}(?:прошивк|роутер|модем|маршрутизатор)/u,
    },
  },
]

/** Title, visible text and buttons. */
export const toldBy = ({ document, title, shown }: PageFacts): string =>
  folded([title, shown, ...(document.look?.buttons.slice(0, 16) ?? [])].join(' | '))

const isTold = ({ in: languages }: Act, told: string): boolean =>
  Object.values(languages).some(pattern => pattern.test(told))

/** What a page tells its visitors to do. `told` as `toldBy` returns it. */
export const actsIn = (told: string): readonly Act[] => acts.filter(act => isTold(act, told))

const REPAIR =
  /\b(?:fix|solve|resolve|rectif\w{1,6}|validat\w{1,4}|synchroni[sz]\w{1,4}|revalidat\w{1,4}|restor\w{1,3}|recover\w{0,4}|unlock\w{0,3}|debug\w{0,4})\b[^.!?]{0,60}\b(?:wallets?|web3|dapps?|blockchain|staking|nfts?|tokens?)\b|(?:wallet|cuzdan|portefeuille|billetera|carteira|portfel|dompet|кошел)\p{L}{0,6}[^.!?]{0,40}(?:reparieren|validieren|synchronisieren|reparer|valider|synchroniser|reparar|validar|sincronizar|verificare|sincronizzare|naprawic|zweryfikowac|onar|dogrula|perbaiki|validasi|sinkron|исправ|синхрониз)/u

/** Wallets have no faults that a page could mend: whoever connects one for that gives it away. */
export const mendsWallets = (told: string, found: readonly Act[]): boolean =>
  REPAIR.test(told) && found.some(({ id }) => id === 'connect')

// National domains of brands that use one name in many countries, and top-level domains that belong to one brand. A
// name that is missing here is not an imitation for that reason; the table matters only for pages that show the brand.

/** The label, then the suffixes under which the brand has registered it. */
const written: Readonly<Record<string, readonly string[]>> = {
  Google: [
    `google ad ae com.af com.ag al am co.ao com.ar as at com.au az ba com.bd be bf bg com.bh bi bj com.bn com.bo com.br bs bt
    co.bw by com.bz ca cat cd cf cg ch ci co.ck cl cm cn com.co co.cr com.cu cv com.cy cz de dj dk dm com.do dz com.ec ee
    com.eg es com.et fi com.fj fm fr ga ge gg com.gh com.gi gl gm gr com.gt gy com.hk hn hr ht hu co.id ie co.il im co.in iq
    is it je com.jm jo co.jp co.ke com.kh ki kg co.kr com.kw kz la com.lb li lk co.ls lt lu lv com.ly co.ma md me mg mk ml
    com.mm mn com.mt mu mv mw com.mx com.my co.mz com.na com.ng com.ni ne nl no com.np nr nu co.nz com.om com.pa com.pe com.pg
    com.ph com.pk pl pn com.pr ps pt com.py com.qa ro rs ru rw com.sa com.sb sc se com.sg sh si sk com.sl sn so sm sr st com.sv
    td tg co.th com.tj tl tm tn to com.tr tt com.tw co.tz com.ua co.ug co.uk com.uy co.uz com.vc co.ve co.vi com.vn vu ws co.za
    co.zm co.zw`,
  ],
  YouTube: [
    `youtube ae at be bg ca ch co.in co.jp co.kr co.nz co.uk co.za com.ar com.au com.br com.co com.hk com.mx com.tr com.tw
    com.ua cz de dk es fi fr gr hu ie in it jp nl no pl pt ro rs ru se sk`,
  ],
  Yahoo: [
    'yahoo ca cn co.id co.in co.jp co.kr co.nz co.th co.uk com.ar com.au com.br com.hk com.mx com.ph com.sg com.tr com.tw com.vn de es fr ie in it pl se',
  ],
  Apple: [
    `apple ae at be ca ch cl co.kr co.uk com.au com.br com.cn com.mx com.sg com.tw com.tr cz de dk es fi fr hu ie in it jp nl no
    pl pt ro ru se sk`,
  ],
  IKEA: [
    `ikea ae at be bg bh ca ch cl cn co.id co.il co.kr co.th co.uk com.au com.cn com.co com.cy com.do com.eg com.gr com.hk com.kw
    com.mx com.my com.pr com.sa com.sg com.tr com.tw cz de dk ee es fi fr gr hr hu ie in is it jo jp kr lt lv ma mx nl no ph pl
    pt qa ro rs ru se sg si sk ua us`,
  ],
  Amazon: [
    'amazon ae at ca cl cn co.jp co.uk co.za com.au com.be com.br com.co com.mx com.ng com.tr de eg es fr ie in it nl pl sa se sg',
  ],
  eBay: [
    'ebay at be ca ch cn co.jp co.th co.uk com.au com.hk com.my com.sg com.tw de es fr ie in it nl ph pl ru us vn',
  ],
  PayPal: [
    'paypal at be ca ch co.il co.uk com.au com.br com.cn com.hk com.mx com.sg com.tr de dk es fr it jp nl no pl pt se',
  ],
  Microsoft: ['microsoft at be ca ch cn com.au com.tr cz de dk es fi fr hu it jp nl no pl pt ro ru se us'],
  Mastercard: [
    `mastercard at ba be bg by ca ch cl co.id co.in co.jp co.kr co.th co.uk co.za com.ar com.au com.br com.cn com.co com.hk com.mx
    com.my com.pe com.sg com.tr com.tw com.ua com.vn cz de dk es fi fr gr hr hu ie it kz nl no pl pt ro rs ru se si sk`,
  ],
  Airbnb: [
    `airbnb ae am at az ba be ca cat ch cl co.cr co.id co.il co.in co.kr co.nz co.uk co.ve co.za com.ar com.au com.bo com.br com.bz
    com.co com.ec com.gt com.hk com.hn com.mt com.my com.ni com.pa com.pe com.ph com.py com.ro com.sg com.sv com.tr com.tw
    com.ua com.vn cz de dk es fi fr gr gy hu ie is it jp la lt lu lv me mx nl no pl pt ru se si`,
  ],
  Adidas: [
    `adidas ae at be ca ch cl cn co co.in co.kr co.nz co.th co.uk co.za com.ar com.au com.br com.cn com.co com.hk com.mx com.my com.pe
    com.ph com.sg com.tr com.tw com.vn cz de dk es fi fr gr hu ie it jp mx nl no pe pl pt ru se sk`,
  ],
  HSBC: [
    `hsbc ae am ca co.id co.in co.jp co.kr co.mu co.nz co.om co.th co.uk co.za com.ar com.au com.bd com.bh com.bn com.br com.cn com.co
    com.eg com.hk com.kw com.lb com.mo com.mt com.mx com.my com.ph com.qa com.sg com.tr com.tw com.uy com.vn de es fr gr ie it lk lu pl`,
  ],
  Tripadvisor: [
    `tripadvisor at be ca ch cl cn co co.hu co.id co.il co.kr co.nz co.uk co.za com.ar com.au com.br com.eg com.gr com.hk com.mx com.my
    com.pe com.ph com.sg com.tr com.tw com.ve com.vn cz de dk es fi fr ie in it jp nl no pt rs ru se sk`,
  ],
  Starbucks: [
    'starbucks at be ca ch co.id co.jp co.kr co.nz co.th co.uk com.ar com.br com.cn com.hk com.mx com.my com.pe com.ph com.sg com.tr com.tw com.vn cz de es fr gr ie in it nl no ph pl pt ro ru se',
  ],
  Pinterest: [
    'pinterest at be ca ch cl co.at co.kr co.nz co.uk com.au com.mx com.pe de dk ec es fr hu id ie in it jp kr nl nz ph pt ru se th uk vn',
  ],
  NVIDIA: [
    'nvidia at be ch cn co.at co.in co.jp co.kr co.uk com.au com.br com.mx com.pe com.pl com.tr com.tw com.ua com.ve cz de dk es eu fi fr in it jp lu nl no pl ro ru se',
  ],
  Kaspersky: [
    'kaspersky be ca cn co.in co.jp co.kr co.th co.uk co.za com.au com.br com.cn com.hk com.pl com.tr com.tw com.vn cz de dk es fi fr gr it ma nl pt ro rs ru se ua',
  ],
  "McDonald's": [
    'mcdonalds at be ca ch co.id co.il co.jp co.kr co.nz co.th co.uk co.za com.ar com.au com.br com.cn com.hk com.mx com.my com.ph com.sg com.tr com.tw cz de dk es fi fr hu ie it nl no pl pt ro rs ru se sk',
  ],
  'Coca-Cola': [
    'coca-cola al at ba be bg by ch ci co.id co.uk com.ar com.au com.br com.mx com.ng cz de dk ee es fi fr gr hr hu ie it lt lv md me mk nl no pl pt ro rs ru se si sk ua',
    'cocacola be co.jp co.kr com.br de es fi fr ie nl no pt se',
  ],
  Expedia: [
    'expedia at be ca ch co.id co.in co.jp co.kr co.nz co.th co.uk com.ar com.au com.br com.hk com.my com.ph com.sg com.tw com.vn de dk es fi fr ie it mx nl no se',
  ],
  Nintendo: [
    'nintendo at be ch co.jp co.kr co.uk co.nz co.za com.au com.hk com.tw de dk es eu fi fr it nl no pt ru se',
  ],
  Allianz: [
    'allianz at be bg ch co.id co.th co.uk com.ar com.au com.br com.co com.cn com.eg com.gr com.hk com.my com.pl com.tr cz de es fr hr hu ie in it lk lt lu nl pl pt ro ru sk',
  ],
  Citibank: [
    'citibank ae co.id co.in co.kr co.th co.uk com.au com.br com.cn com.co com.gt com.hk com.my com.ph com.sg com.tr com.tw com.vn cz de es hu pl ro ru',
  ],
  Toyota: [
    'toyota at be ca ch cl co.id co.il co.jp co.nz co.th co.uk co.za com.ar com.au com.br com.my com.ph com.sa com.sg com.tr com.tw com.ua cz de dk ee es fi fr gr hu ie it jp kz lt lv mx nl no pl pt ro ru se si sk',
  ],
  Shopify: [
    'shopify ca co.id co.nz co.uk co.za com.au com.br com.co com.mx com.ng com.ph com.sg de es fr hk ie in it jp my nl',
  ],
  Yandex: ['yandex az by co.il com com.am com.ge com.kz com.tr com.ua ee eu fr kg kz lt lv md pl ru tj tm ua uz'],
  Facebook: ['facebook br ca cn de es fr in it jp mx nl no pl se us'],
  Decathlon: [
    'decathlon at be bg ca ch cl co.id co.il co.jp co.kr co.th co.uk com.au com.br com.co com.hk com.mx com.my com.tr com.tw cz de dk eg es fr gr hr hu ie in it lt lv ma mt nl ph pl pt ro rs ru se sg si sk tn ua vn',
  ],
  Lidl: [
    'lidl at be bg ch co.uk com com.cy com.gr com.mt cz de dk ee es fi fr gr hr hu ie it lt lu lv nl pl pt ro rs se si sk',
  ],
  Vodafone: [
    'vodafone al co.nz co.uk co.za com.au com.cy com.eg com.fj com.gh com.mt com.pg com.qa com.tr cz de es gr hu ie in is it nl pt qa ro ua',
  ],
  Orange: ['orange be bf ch ci cm co.bw co.uk com.do es fr jo lu ma md mg ml mu ne pl re ro sk sn tn'],
  DHL: [
    'dhl at be ca ch co.id co.in co.jp co.kr co.th co.uk co.za com.ar com.au com.br com.cn com.hk com.mx com.my com.pl com.sg com.tr com.tw cz de dk es fi fr hu ie in it lu nl no pl pt ro ru se sk',
  ],
  BlaBlaCar: ['blablacar be co.uk com.br com.hr com.tr com.ua cz de es fr hu in it mx nl pl pt ro rs ru sk'],
  Zalando: ['zalando at be ch co.uk cz de dk ee es fi fr hr hu ie it lt lv nl no pl ro se si sk'],
  Craigslist: [
    'craigslist ca co.in co.jp co.kr co.nz co.th co.uk co.za com.au com.mx com.ph com.sg com.tr de es fr hk it jp pt',
  ],
  Deliveroo: ['deliveroo ae be co.uk com.au com.hk com.kw com.sg de es fr hk ie it nl tw'],
  DocuSign: ['docusign ca co.uk com.au com.br com.es de fr in it jp mx nl'],
  'Mercado Libre': [
    'mercadolibre cl co.cr com.ar com.bo com.co com.do com.ec com.gt com.hn com.mx com.ni com.pa com.pe com.py com.sv com.uy com.ve',
  ],
  'Mercado Pago': ['mercadopago cl com.ar com.br com.co com.mx com.pe com.uy com.ve'],
  Rakuten: ['rakuten ca co.id co.jp co.th co.uk com.br com.my com.sg com.tw de es fr jp'],
  'BNP Paribas': ['bnpparibas ch co.in co.jp co.uk com.au com.cn com.hk com.tw de es fr hu it jp lu ma nc nl pl pt re'],
  BBVA: ['bbva ch cl com.ar com.co com.uy es it mx pe pt'],
  Santander: ['santander at be cl co.uk com.ar com.br com.co com.mx com.pe com.uy de dk es fi it nl no pl pt se'],
  Carrefour: ['carrefour be com.ar com.br com.cn com.tr com.tw es eu fr gr it ma pl re ro tn'],
  Nordea: ['nordea com.cn dk ee fi lt lu lv no pl ru se'],
  Sephora: [
    'sephora ae co.th co.uk com.au com.br com.mx com.my com.sg com.tr cn cz de dk es fr gr hk it nz ph pl pt ro rs ru se sg',
  ],
  Samsung: ['samsung cn co.jp co.kr co.uk com.au com.br com.cn de es fr it nl pl ru se'],
  'Danske Bank': ['danskebank co.uk de dk ee fi ie lt lv no pl se'],
  'Deutsche Bank': ['deutschebank be co.in co.jp nl', 'deutsche-bank be de es it pl pt ru'],
  Scotiabank: ['scotiabank cl com com.mx com.pe com.pa com.sv com.uy fi.cr'],
  Vinted: ['vinted at be co.uk cz de dk es fi fr gr hr hu ie it lt lu nl pl pt ro se si sk us'],
  Shopee: ['shopee cl cn co.id co.th com.ar com.br com.co com.mx com.my es fr in ph pl sg tw vn'],
  Shein: ['shein co.uk com.au com.co com.hk com.mx com.vn de fr in se tw'],
  Costco: ['costco ca co.jp co.kr co.nz co.uk com.au com.mx com.tw es fr is se'],
  'T-Mobile': ['t-mobile at co.uk cz de hr hu nl pl sk', 'tmobile at com cz de nl pl'],
  'T-Online': ['telekom at com de hu mk ro sk si'],
  Walmart: ['walmart ca cn com.ar com.br com.mx co.cr cl'],
  Tesco: ['tesco co.th com com.my cz hu ie pl sk'],
  UPS: ['ups com.cn com.tr'],
  Bybit: ['bybit ae eu kz nl tr'],
  'OTP Bank': ['otpbank al hr hu me ro rs ru si ua com.ua'],
}

/** By brand. */
export const regionalDomains: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(written).map(([brand, lines]) => [
    brand,
    lines.flatMap(line => {
      const [label = '', ...suffixes] = line.split(/\s+/)
      return suffixes.map(suffix => `${label}.${suffix}`)
    }),
  ]),
)

/** Top-level domains that only this brand uses. */
export const ownTopLevels: Readonly<Record<string, readonly string[]>> = {
  ...{
    Microsoft: ['microsoft', 'hotmail', 'azure', 'bing', 'skype', 'xbox'],
    Office: ['office'],
    Windows: ['windows'],
  },
  ...{
    Google: ['google', 'gmail', 'android', 'chrome', 'gle'],
    YouTube: ['youtube'],
    Amazon: ['amazon', 'aws', 'prime'],
  },
  ...{
    Yandex: ['yandex'],
    GoDaddy: ['godaddy'],
    Oracle: ['oracle'],
    Intuit: ['intuit'],
    Samsung: ['samsung'],
    GMX: ['gmx'],
  },
  ...{ PlayStation: ['playstation'], JPMorgan: ['jpmorgan'], 'Bank of America': ['bofa'], Vanguard: ['vanguard'] },
  ...{ Bradesco: ['bradesco'], 'Commonwealth Bank': ['commbank', 'netbank'], HDFC: ['hdfcbank'], Alipay: ['alipay'] },
  ...{
    'Australia Post': ['auspost'],
    Rogers: ['rogers'],
    SoftBank: ['softbank'],
    Airtel: ['airtel'],
    Alibaba: ['alibaba'],
  },
  ...{ Walmart: ['walmart'], Target: ['target'], 'Best Buy': ['bestbuy'], 'Home Depot': ['homedepot'], Zara: ['zara'] },
  ...{
    Nike: ['nike'],
    Gucci: ['gucci'],
    Lidl: ['lidl'],
    Booking: ['booking'],
    Toyota: ['toyota'],
    Discover: ['discover'],
  },
}

// Words of titles, headings and logos that say what a page is for and not whose it is, in the languages of the lures.

const words = (...lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.flatMap(line => line.split(' ')).filter(word => word !== ''))

/** Beside a brand, these leave the brand as what the text presents. Lower case, without accents, as `words` writes them. */
export const GENERIC = words(
  // Logging in, and what for.
  'log logon login logging in on into out sign signin signon signup up to your my me account accounts id user username email mail webmail',
  'mailbox password passwort access enter online secure secured security safe portal center centre area page site website web official',
  'home homepage index welcome hello dashboard member members customer customers client clients service services support help please',
  'bank banking personal business private internet mobile app application apps digital mobil card cards payment payments pay wallet',
  'verify verification verified verifying validate validation confirm confirmation confirming update updating activate activation',
  'reactivate unlock locked lock suspended limited restricted blocked restore recover recovery reset required request notification notice',
  'alert warning billing information details data identity identification authentication authenticate authenticator two factor step',
  'code otp pin continue next start get started now new here free the a an of for and or at is it with by from be has been need',
  'tracking track trace parcel package delivery shipment shipping express document documents file files share shared sharing view',
  'download drive cloud meeting meetings sso session server client authorize authorization invitation promo bonus gift reward rewards',
  'manage edit check find choose select change forgot settings option options safety personal login form docs pdf reader investments bank',
  'express online mail inbox message messages voicemail fax invoice order orders refund tax details detail user users people only all new',
  'usa uk india brasil brazil mexico espana spain polska nederland belgie schweiz suisse svizzera osterreich austria australia japan china',
  'ireland portugal turkey turkiye korea singapore europe asia africa international',
  'claim connect migration migrate sync airdrop token swap exchange trade trading invest global international worldwide group inc llc ltd',
  'corp co com net org www gmbh ag sa de la le el les das der die des du und et y e o u i do da di il lo un una une ein eine en on',
  'logo logotype icon favicon brand white black dark light color colour small large header footer image img picture png svg mark main',
  'full horizontal vertical retina default blue red green svgz text symbol wordmark us uk eu usa canada france deutschland italia',
  'event events free giveaway claim skin skins diamonds lucky spin collect all rights reserved powered english deutsch francais espanol portugues',
  'italiano nederlands polski turkce',
  'rechte vorbehalten alle tous droits reserves todos derechos reservados direitos tutti diritti riservati все права защищены',
  // German.
  'anmelden anmeldung einloggen melden sie sich an ihr ihre ihrem ihren bei konto kundenkonto kunden kundenbereich kennwort willkommen',
  'sicher sicherheit bestatigen bestatigung aktualisieren zugang kundenservice sendung sendungsverfolgung paket zahlung startseite benutzer',
  // French.
  'connexion connectez vous se connecter identifiez identification compte espace mon ma mes votre vos a mot passe bienvenue client clients',
  'securise verification verifier suivi colis paiement accueil particuliers professionnels confirmer mettre jour sur',
  // Spanish, Portuguese, Italian.
  'iniciar inicia inicie sesion acceso acceder accede accedi accesso acesse acesso ingresar ingresa ingreso entrar entre entra entrada cuenta',
  'conta tu su sua seu tua tuo suo suya contrasena senha bienvenido bienvenidos bem vindo benvenuto cliente clientes clienti verificar',
  'verifica verificacion verificacao confirmar confermare area riservata seguro segura sicuro banca banco personas empresas particulares',
  'pagina principal inicio oficial envio paquete pacco spedizione rastreo rastreamento pago pagamento atualizar actualizar aggiorna accesso',
  'no na nos nas em para con com per al alla nel ao os as es del',
  // Dutch, Polish, Czech, Swedish, Danish, Norwegian, Finnish.
  'inloggen aanmelden mijn uw je jouw rekening welkom beveiligd bevestigen betaling bezorging pakket zaloguj sie zaloguj logowanie do na konta',
  'konto twoje twojego haslo witamy weryfikacja przesylka platnosc bankowosc prihlaseni prihlasit uctu ucet vitejte overeni logga ditt din mitt',
  'mina sidor valkommen bekrafta log pa logg inn velkommen bekraeft betaling kirjaudu sisaan tilille tervetuloa vahvista',
  // Turkish, Romanian, Hungarian, Indonesian, Vietnamese.
  'giris yap hesap hesabiniz hesabi hosgeldiniz dogrulama onayla kargo odeme autentificare conectare contul tau bejelentkezes belepes fiok',
  'masuk akun anda selamat datang verifikasi dang nhap tai khoan xac minh',
  // Russian, Ukrainian, Greek, Arabic, Hebrew, Hindi.
  'вход войти в на личный кабинет аккаунт учетная запись пароль подтверждение добро пожаловать увииити увійти вхід обліковий',
  'συνδεση σας λογαριασμος εισοδος καλως ηρθατε تسجيل الدخول الى إلى حسابك حساب مرحبا כניסה התחברות לחשבון שלך लॉगिन साइन इन खाता',
)

/** Words with which a text speaks about a brand, as reviews, offers, jobs and instructions do. */
export const TALK = words(
  'review reviews reviewed rating ratings news report reports says said announces announced launches launch changes changed buys acquires',
  'acquisition shares stock earnings lawsuit sues jobs job careers hiring vacancies working salary gift giftcard coupon coupons discount',
  'deal deals voucher vouchers sale how why what when who vs versus alternative alternatives best top compare comparison guide tutorial',
  'tips tricks explained history status outage down problems problem issue issues error fix fixed forum thread question questions answer',
  'answers integration integrations plugin plugins extension addon connector connectors module sdk documentation api repair parts',
  'using against between about scam fraud phishing fake beware not no cannot hacked exploit engineering',
  'test tests erfahrungen erfahrung bewertung bewertungen vergleich nachrichten stellen stellenangebote karriere gutschein gutscheine',
  'anleitung wie warum was hilfe storung probleme avis test comparatif actualites emploi emplois offre offres bon carte cadeau tutoriel',
  'comment pourquoi panne opiniones opinion noticias empleo empleos ofertas regalo tutorial como porque problemas avaliacao noticias vagas',
  'recensione recensioni notizie lavoro offerte buono guida come perche problemi',
)

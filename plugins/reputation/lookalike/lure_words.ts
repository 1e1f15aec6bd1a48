// The words beside a brand in deceptive names, by language. Written as host names write them, without accents.

export interface LureWords {
  /** Request a log-in: with them, even an everyday word means the brand. */
  readonly credential: string
  /** Request money, a secret or an action, or address customers. */
  readonly strong: string
  /** Official-sounding words; honest sites use them too. */
  readonly soft: string
}

/** Of at least three letters, unless they are as frequent as `my`: shorter ones are found in any text. */
export const LURE_WORDS: Readonly<Record<string, LureWords>> = {
  en: {
    credential: `
      login logins logon signin signon verify verified verification verifications verifying reverify password passcode unlock
      locked suspended suspension account accounts myaccount authenticate authentication auth oauth reactivate securelogin`,
    strong: `
      verif confirm confirmation validate validation secure secured security acct authorize authorise authorization identity
      identification otp mfa sso update updates upgrade unblock blocked suspend restricted limitation recover recovery
      restore reset resetting activate activation billing bill payment payments refund refunds invoice invoices transaction transfer claim
      claims claiming airdrop airdrops giveaway bonus reward rewards prize winner giftcard wallet wallets migrate migration
      webmail alert alerts notice notification notifications violation appeal dispute resolution unusual session cancel
      cancellation membership subscription renew renewal expired extension tracking track redelivery redeliver reschedule
      parcel parcels package delivery deliver customs fee fees toll unpaid outstanding seedphrase paynow helpdesk support
      supports supportdesk banking ebanking onlinebanking netbanking token tokens dapp dapps staking mint presale redeem
      whitelist eligibility allocation kyc rebate pending settings`,
    soft: `
      online official service services center centre help helps helpline helpcenter care contact customer customers team web
      website app apps portal access user users member members mail email home main net com www http https html php
      index digital mobile cloud server host admin system info information infos page pages form forms docs doc file files
      share shared view document documents drive chat live desk office room free promo promotion offer offers deal deals
      sale store shop market outlet discount coupon event events vip plus pro premium nitro card cards credit bank finance
      business global world international usa asia europe inc corp ltd llc group pay connect connection device devices
      client clients ticket gift gifts sync safe safety limited get check feedback manage manager create beta partner
      partners express money buy chrome android ios windows mac join open exchange trade trading swap defi nft crypto coin
      bridge download install setup start link redirect click problem problems issue issues error warning attempt resolve
      protect protection privacy activity profile dashboard registration signup    
      shipment receipt notify request personal important department assist assistant fraud safeguard internet
      mobil sms wvw vvww`,
  },
  de: {
    credential: `
      anmelden anmeldung einloggen konto kundenkonto kontopruefung kontosperrung entsperren gesperrt passwort zugangsdaten
      verifizieren verifizierung`,
    strong: `
      kunden kundenservice kundendienst kundencenter kundenportal kundendaten sicherheit sicherheits bestaetigung bestaetigen
      aktualisieren aktualisierung pruefung pruefen ueberpruefung ueberpruefen freischalten freischaltung sperrung zahlung
      zahlungen rechnung rechnungen mahnung rueckerstattung erstattung paket pakete sendung sendungen sendungs verfolgung
      lieferung zustellung zollgebuehr nachzahlung pushtan phototan legitimation datenabgleich zugang gewinnspiel`,
    soft: 'kontakt hilfe aktuell benutzer daten mein meine umstellung verwaltung gutschein portal kundenkarte',
  },
  fr: {
    credential: `
      compte comptes moncompte connexion connecter identifiant identifiants motdepasse espaceclient authentification`,
    strong: `
      securite securise securisee verifier confirmer activer paiement paiements facture factures remboursement remboursements
      colis livraison suivi suivre miseajour bloque debloquer deblocage suspendu renouvellement renouveler regularisation
      amende impaye douane abonnement acces protection maj`,
    soft: `
      aide assistance espace client clients monespace votre enligne cadeau formulaire portail dossier carte frais 
      jour mise service`,
  },
  es: {
    credential: `
      cuenta cuentas acceso accesos verificar verificacion iniciosesion iniciarsesion sesion contrasena clave claves ingresar
      ingreso`,
    strong: `
      seguridad pago pagos factura facturas paquete paquetes entrega rastreo reembolso devolucion bloqueada bloqueado bloqueo
      suspendida suspendido desbloquear desbloqueo actualizar actualizacion confirmar confirmacion activar activacion aviso
      avisos multa aduana soporte validar validacion proteccion cliente clientes`,
    soft: `
      espacio envio envios pin ayuda inicio seguro servicio servicios atencion movil enlinea gestion datos incidencias premio
      regalo oferta alerta alertas empresas banca`,
  },
  it: {
    credential: 'accedi accesso accessi verifica verificare conto conti areaclienti areariservata',
    strong: `
      sicurezza sicuro pagamento pagamenti pacco pacchi spedizione spedizioni consegna rimborso rimborsi conferma confermare
      aggiornamento aggiorna aggiornare blocco bloccato bloccata sblocco sospeso sospesa riattiva riattivare attivazione
      fattura fatture bonifico rinnovo dogana avviso avvisi assistenza clienti abbonamento`,
    soft: 'servizio servizi supporto aiuto area dati privati riservata utente utenti portale premio carta',
  },
  pt: {
    credential: `
      conta contas acessar acesso acessos verifique senha senhas entrar cadastro recadastramento desbloquear desbloqueio`,
    strong: `
      seguranca pagamento fatura faturas boleto rastreio rastreamento encomenda encomendas bloqueada suspensa atualizar
      atualizacao atualize confirme ativar ativacao liberar resgate resgatar pontos reembolso cobranca alfandega suporte
      pendente segundavia`,
    soft: 'ajuda atendimento servico servicos dados premios promocao cartao taxa minha ',
  },
  nl: {
    credential: 'inloggen aanmelden rekening mijnrekening verificatie verifieren wachtwoord',
    strong: `
      beveiliging veiligheid betaling betalingen betalen betaal betaalverzoek betaalpas pakket pakketje bezorging levering
      zending bevestigen bevestiging bijwerken vernieuwen vernieuwing activeren activatie geblokkeerd blokkering
      deblokkeren opgeschort factuur boete terugbetaling klantenservice herinnering douane`,
    soft: 'mijn gegevens hulp dienst melding klant klanten controle kaart',
  },
  pl: {
    credential: 'logowanie zaloguj konto haslo potwierdz weryfikacja weryfikuj',
    strong: `
      potwierdzenie platnosc platnosci oplata doplata przelew przesylka przesylki paczka paczki dostawa dostawy sledzenie
      bezpieczenstwo bezpieczny aktualizacja aktualizuj aktywacja aktywuj odblokuj blokada zablokowane faktura zwrot odbior`,
    soft: 'pomoc klient klienta dane obsluga moje twoje nagroda ',
  },
  tr: {
    credential: 'giris girisi girisyap hesap',
    strong: `
      dogrulama guvenlik odeme sube subesi internetsube internetsubesi mobilsube isube esube onlinesube bireysel basvuru
      basvur kampanya kampanyasi cekilis iade iadesi aidat islem islemler`,
    soft: 'hediye destek ',
  },
  // Of no language, or of several.
  other: {
    credential: '',
    strong: '',
    soft: `
      id my us uk eu de fr it es nl be ch at pl br mx au ca in jp cn co`,
  },
}

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
      login logins logon signin signon verify verified verification verifications verifying reverify password passcode
      unlock locked suspended suspension account accounts myaccount authenticate authentication auth oauth reactivate
      securelogin relogin resignin unlocking`,
    strong: `
      verif confirm confirmation validate validation secure secured security acct authorize authorise authorization
      identity identification otp mfa sso update updates upgrade unblock blocked suspend restricted limitation recover
      recovery restore reset resetting activate activation billing bill payment payments refund refunds invoice
      invoices transaction transfer claim claims claiming airdrop airdrops giveaway bonus reward rewards prize winner
      giftcard wallet wallets migrate migration webmail alert alerts notice notification notifications violation
      appeal dispute resolution unusual session cancel cancellation membership subscription renew renewal expired
      extension tracking track redelivery redeliver reschedule parcel parcels package delivery deliver customs fee
      fees toll unpaid outstanding seedphrase paynow helpdesk support supports supportdesk banking ebanking
      onlinebanking netbanking token tokens dapp dapps staking mint presale redeem whitelist eligibility allocation
      kyc rebate pending settings payout payouts payback repay repayment billings invoiced overdue arrears declined
      cancelled reactivation revalidate revalidation restrict banned penalty withdrawal withdraw deposit onlineaccount
      reconfirm unpaidtoll`,
    soft: `
      online official service services center centre help helps helpline helpcenter care contact customer customers
      team web website app apps portal access user users member members mail email home main net com www http https
      html php index digital mobile cloud server host admin system info information infos page pages form forms docs
      doc file files share shared view document documents drive chat live desk office room free promo promotion offer
      offers deal deals sale store shop market outlet discount coupon event events vip plus pro premium nitro card
      cards credit bank finance business global world international usa asia europe inc corp ltd llc group pay connect
      connection device devices client clients ticket gift gifts sync safe safety limited get check feedback manage
      manager create beta partner partners express money buy chrome android ios windows mac join open exchange trade
      trading swap defi nft crypto coin bridge download install setup start link redirect click problem problems issue
      issues error warning attempt resolve protect protection privacy activity profile dashboard registration signup
      shipment receipt notify request personal important department assist assistant fraud safeguard internet mobil
      sms wvw vvww failed failure expiring action needed portals claimed code codes number`,
  },
  de: {
    credential: `
      anmelden anmeldung einloggen konto kundenkonto kontopruefung kontosperrung entsperren gesperrt passwort
      zugangsdaten verifizieren verifizierung kontosperre kontozugang kundenlogin onlinekonto anmelde zugangs`,
    strong: `
      kunden kundenservice kundendienst kundencenter kundenportal kundendaten sicherheit sicherheits bestaetigung
      bestaetigen aktualisieren aktualisierung pruefung pruefen ueberpruefung ueberpruefen freischalten freischaltung
      sperrung zahlung zahlungen rechnung rechnungen mahnung rueckerstattung erstattung paket pakete sendung sendungen
      sendungs verfolgung lieferung zustellung zollgebuehr nachzahlung pushtan phototan legitimation datenabgleich
      zugang gewinnspiel sperre kontos zahlungs rechnungs abrechnung abrechnungen ausweis identitaet identitaets
      zahlungsproblem mitteilung bescheid bescheide reaktivierung reaktivieren verlaengern verlaengerung erneuern
      erneuerung umstellen kuendigung sicherheitscheck zustell paketdienst nachnahme zoll zollgebuehren gebuehr
      gebuehren bussgeld strafzettel mahnungen inkasso steuererstattung rueckzahlung auszahlung einzahlung guthaben
      bankdaten datenpruefung tanverfahren entsperrung bestaetige geblockt aktivierung aktivieren registrierung
      ueberweisung ueberweisungen lastschrift kreditkarte kartensperre`,
    soft: `
      kontakt hilfe aktuell benutzer daten mein meine umstellung verwaltung gutschein portal kundenkarte problem
      nachricht nachrichten kunde kundin aktiv online formular dienst center karte verfolgen zugestellt`,
  },
  fr: {
    credential: `
      compte comptes moncompte connexion connecter identifiant identifiants motdepasse espaceclient authentification
      reconnexion seconnecter codesacces espaceperso moncompteclient identification`,
    strong: `
      securite securise securisee verifier confirmer activer paiement paiements facture factures remboursement
      remboursements colis livraison suivi suivre miseajour bloque debloquer deblocage suspendu renouvellement
      renouveler regularisation amende impaye douane abonnement acces protection maj reactivation reactiver valider
      validation verifie confirme echec impayes contravention contraventions prelevement virement virements regler
      reglement penalite antai livrer livraisons relivraison reprogrammer avispassage certicode cartebancaire bancaire
      remb rembourser echeance suspension resiliation`,
    soft: `
      aide assistance espace client clients monespace votre enligne cadeau formulaire portail dossier carte frais jour
      mise service perso personnel espaces avis passage codes code securisees nouveau nouvelle action requise alerte
      alertes message messagerie solde expedition`,
  },
  es: {
    credential: `
      cuenta cuentas acceso accesos verificar verificacion iniciosesion iniciarsesion sesion contrasena clave claves
      ingresar ingreso micuenta cuentabloqueada reactivar areacliente areaclientes identificarse iniciar sesiones
      credenciales`,
    strong: `
      seguridad pago pagos factura facturas paquete paquetes entrega rastreo reembolso devolucion bloqueada bloqueado
      bloqueo suspendida suspendido desbloquear desbloqueo actualizar actualizacion confirmar confirmacion activar
      activacion aviso avisos multa aduana soporte validar validacion proteccion cliente clientes tarjeta tarjetas
      bloquear bloqueos reprogramar reprogramacion reenvio fallida fallido pendiente pendientes cobro cobros deuda
      multas sancion sanciones transferencia transferencias devoluciones reembolsos verifique confirme confirma
      actualice renovar renovacion suspension cancelacion vencimiento recibo recibos impago tasas aduanas identidad`,
    soft: `
      espacio envio envios pin ayuda inicio seguro servicio servicios atencion movil enlinea gestion datos incidencias
      premio regalo oferta alerta alertas empresas banca linea area personal mensaje mensajes notificacion
      notificaciones urgente nuevo nueva codigo dato tramite tramites cita firma`,
  },
  it: {
    credential: `
      accedi accesso accessi verifica verificare conto conti areaclienti areariservata areapersonale accessoclienti
      riaccedi credenziali identita`,
    strong: `
      sicurezza sicuro pagamento pagamenti pacco pacchi spedizione spedizioni consegna rimborso rimborsi conferma
      confermare aggiornamento aggiorna aggiornare blocco bloccato bloccata sblocco sospeso sospesa riattiva
      riattivare attivazione fattura fatture bonifico rinnovo dogana avviso avvisi assistenza clienti abbonamento
      ricarica ricariche bloccati bloccate sospesi sbloccare sblocca sbloccata riprogramma riprogrammare tracciamento
      tracciare rinnova rinnovare scadenza scaduto scaduta multe sanzione sanzioni bolletta bollette addebito prelievo
      validare valida convalida limitato limitata transazione transazioni giacenza mancata`,
    soft: `
      servizio servizi supporto aiuto area dati privati riservata utente utenti portale premio carta mia mio personale
      cliente messaggio messaggi avvisi comunicazione comunicazioni codice pratica nuovo nuova urgente banca`,
  },
  pt: {
    credential: `
      conta contas acessar acesso acessos verifique senha senhas entrar cadastro recadastramento desbloquear
      desbloqueio minhaconta acessarconta recadastrar recadastro cadastrar autenticar autenticacao identidade`,
    strong: `
      seguranca pagamento fatura faturas boleto rastreio rastreamento encomenda encomendas bloqueada suspensa
      atualizar atualizacao atualize confirme ativar ativacao liberar resgate resgatar pontos reembolso cobranca
      alfandega suporte pendente segundavia cartao cartoes bloqueado bloqueio bloquear suspenso suspensao rastrear
      validar validacao confirmar confirmacao verificar atrasada atraso vencida debito divida dividas cobrancas multa
      multas taxas reativar reativacao renovar renovacao cancelamento entrega entregas parcela emprestimo saque milhas
      aviso alerta proteger`,
    soft: `
      ajuda atendimento servico servicos dados premios promocao cartao taxa minha area pessoal online mensagem
      notificacao codigo cliente clientes urgente novo nova portal central objeto limite`,
  },
  nl: {
    credential: `
      inloggen aanmelden rekening mijnrekening verificatie verifieren wachtwoord mijnaccount aanmelding inlog blokkade
      verifieer ingelogd`,
    strong: `
      beveiliging veiligheid betaling betalingen betalen betaal betaalverzoek betaalpas pakket pakketje bezorging
      levering zending bevestigen bevestiging bijwerken vernieuwen vernieuwing activeren activatie geblokkeerd
      blokkering deblokkeren opgeschort factuur boete terugbetaling klantenservice herinnering douane vervangen
      verlengen verlenging ophalen betaalrekening openstaand openstaande aanmaning incasso bevestig vernieuw activeer
      deblokkeer update opschorting identiteit identificatie terugbetalen teruggave uitbetaling toeslag boetes tarief
      heractiveren bezorg bezorgd mislukt pakketten`,
    soft: `
      mijn gegevens hulp dienst melding klant klanten controle kaart omgeving bericht berichten formulier gegeven
      dossier actie nodig nieuw nieuwe bankieren kosten retour verzending`,
  },
  pl: {
    credential: `
      logowanie zaloguj konto haslo potwierdz weryfikacja weryfikuj logowania loguj mojekonto kontoklienta
      uwierzytelnianie`,
    strong: `
      potwierdzenie platnosc platnosci oplata doplata przelew przesylka przesylki paczka paczki dostawa dostawy
      sledzenie bezpieczenstwo bezpieczny aktualizacja aktualizuj aktywacja aktywuj odblokuj blokada zablokowane
      faktura zwrot odbior zamowienie zamowienia nadplata doplaty oplaty dowod tozsamosc potwierdzenia wstrzymana
      wstrzymane blokady odblokowanie zablokowana zablokowany zaplata zaplac zalegle zaleglosc mandat grzywna
      cofniecie zwroty faktury rachunek rachunki przelewy odnow odnowienie wznowienie autoryzacja zawieszone sledz
      przekierowanie`,
    soft: `
      pomoc klient klienta dane obsluga moje twoje nagroda danych twoja twoj wiadomosc wiadomosci formularz strefa
      panel klientow platne nowe karta karty karte kurier kurierska`,
  },
  tr: {
    credential: 'giris girisi girisyap hesap',
    strong: `
      dogrulama guvenlik odeme sube subesi internetsube internetsubesi mobilsube isube esube onlinesube bireysel
      basvuru basvur kampanya kampanyasi cekilis iade iadesi aidat islem islemler`,
    soft: 'hediye destek',
  },
  // Of no language, or of several.
  other: {
    credential: '',
    strong: '',
    soft: 'id my us uk eu de fr it es nl be ch at pl br mx au ca in jp cn co',
  },
}

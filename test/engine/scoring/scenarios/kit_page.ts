// Pages as phishing kits have them.

export interface Shape {
  /** Completes "is ... for": what the page does. */
  readonly of: string
  readonly html: string
  /** A name for it that imitates the brand; shapes without a brand have none. */
  readonly lookalike?: string
  readonly signals: readonly string[]
}

interface KitOptions {
  readonly lang?: string
  readonly head?: string
  readonly script?: string
}

/** As kits are unpacked: everything beside the page, dead links, nothing for search engines. */
export const kitPage = (
  title: string,
  body: string,
  { lang = 'en', head = '', script = '' }: KitOptions = {},
): string =>
  `<!DOCTYPE html><html lang="${lang}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="css/main.css">
<link rel="shortcut icon" href="img/favicon.ico">${head}</head><body>${body}
${script === '' ? '' : `<script>${script}</script>`}</body></html>`

export const logo = (brand: string): string => `<div class="top"><img src="img/logo.svg" alt="${brand}"></div>`

/** Links that lead nowhere. */
export const dead = (...texts: string[]): string => texts.map(text => `<a href="#">${text}</a>`).join(' ')

export const field = (name: string, placeholder: string, type = 'text'): string =>
  `<input type="${type}" name="${name}" placeholder="${placeholder}" required>`

export const form = (action: string, button: string, ...fields: string[]): string =>
  `<form action="${action}" method="post">${fields.join('')}<button type="submit">${button}</button></form>`

// What there is to watch in the demo: a site that becomes a phishing page every other minute, and a receiver of webhooks.
import type { LabHost } from '../lab_internet.ts'
import { goodMail, phishingPage, plainPage } from './pages.ts'

const MINUTE_MS = 60_000

const mail = goodMail('hacked-now-and-then.lab', '193.0.14.92')

/** `now` is the wall clock, in milliseconds. */
export const watchedHost = (now: () => number): LabHost => ({
  name: 'hacked-now-and-then.lab',
  addresses: ['193.0.14.90'],
  ...mail,
  https: () => ({
    body: Math.floor(now() / MINUTE_MS) % 2 === 0 ? plainPage('Club of model railways') : phishingPage,
  }),
})

/** Accepts webhooks at https://hooks.lab/… `received` gets each, as text. */
export const receiverHost = (received: (text: string) => void): LabHost => ({
  name: 'hooks.lab',
  addresses: ['193.0.14.91'],
  https({ method, url, headers, body }) {
    if (method !== 'POST') return { body: 'A receiver of webhooks.' }
    const shown = ['webhook-id', 'webhook-attempt', 'webhook-signature'].map(name => `${name}: ${headers[name]}`)
    received([`POST ${url}`, ...shown, body].join('\n'))
    return { status: 204 }
  },
})

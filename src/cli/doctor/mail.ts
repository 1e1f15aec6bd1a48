// The mail server of watches: everything of a submission but the message.
import type { Config } from '../../config/config.ts'
import type { WatchMail } from '../../service/watch/mail.ts'
import { type DoctorFinding, failed, ok, warning } from './finding.ts'

const CHECK = 'mail'
const SETTINGS = 'watch.mail'

/** What to do about a failure; otherwise the host and the port are looked at. */
const ADVICE: Readonly<Record<string, string>> = {
  authentication: `Correct \`${SETTINGS}.user\` and \`${SETTINGS}.password\``,
  tls: `Correct \`${SETTINGS}.tls\` and \`${SETTINGS}.port\`, or the certificate of the server: it must be valid for \`${SETTINGS}.host\``,
}

export async function examineMail(
  { host, port, tls, user, recipient_domains }: Config['watch']['mail'],
  mail: Pick<WatchMail, 'greet'>,
): Promise<readonly DoctorFinding[]> {
  const greeting = await mail.greet()
  if (greeting === null) return []
  const { failure, code } = greeting
  const server = `${host} port ${port}`
  if (failure !== null) {
    const reply = code === null || failure === `smtp_${code}` ? '' : `, reply ${code}`
    const advice = ADVICE[failure] ?? `Correct \`${SETTINGS}.host\` and \`${SETTINGS}.port\`, and allow the connection`
    return [failed(CHECK, `${server} takes no mail from this service (${failure}${reply})`, advice)]
  }
  const encryption = { starttls: 'STARTTLS', implicit: 'TLS', none: 'no encryption' }[tls]
  const summary = `${server} answers, with ${encryption} and ${user === null ? 'no user' : `the user ${user}`}`
  return recipient_domains.length === 0
    ? [
        warning(
          CHECK,
          `${summary}, but watches cannot send e-mail: no recipient domain is allowed`,
          `List domains in \`${SETTINGS}.recipient_domains\``,
        ),
      ]
    : [ok(CHECK, summary)]
}

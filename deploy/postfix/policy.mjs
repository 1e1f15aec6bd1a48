#!/usr/bin/env node
// A policy service for Postfix (SMTPD_POLICY_README): asks assay about the domain of the sender and the address of the client.
// Needs Node 20.19, 22 or 24 and nothing else. `node policy.mjs policy.json`; docs/mail.md explains the settings.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

const DEFAULTS = {
  host: '127.0.0.1',
  port: 10_040,
  url: 'http://127.0.0.1:8080',
  /** Milliseconds for all answers about one message; Postfix waits for 100 seconds. */
  timeout_ms: 3_000,
  /** What to do by verdict: none, prepend, defer or reject. */
  actions: { malicious: 'prepend', suspicious: 'prepend' },
  /** Domains that are not asked about, with all names below them. */
  allow: [],
}
const ACTIONS = ['none', 'prepend', 'defer', 'reject']

/** Postfix sends about one KiB. */
const REQUEST_CHARACTERS = 64 * 1024
/** Messages whose header is written; a message has a request for each recipient. */
const MESSAGES = 1_000

function readSettings(file) {
  const given = JSON.parse(readFileSync(file, 'utf8'))
  const settings = { ...DEFAULTS, ...given, actions: { ...DEFAULTS.actions, ...given.actions } }
  const unknown = Object.keys(given).filter(name => !(name in DEFAULTS) && name !== 'key')
  if (unknown.length > 0) throw new Error(`unknown setting: ${unknown.join(', ')}`)
  if (typeof settings.key !== 'string') throw new Error('`key` is missing: create one with `assay keys create`')
  for (const [verdict, action] of Object.entries(settings.actions)) {
    if (!(verdict in DEFAULTS.actions)) throw new Error(`actions.${verdict}: no such verdict`)
    if (!ACTIONS.includes(action)) throw new Error(`actions.${verdict} must be one of ${ACTIONS.join(', ')}`)
  }
  return settings
}

const isAllowed = (domain, allow) => allow.some(name => domain === name || domain.endsWith(`.${name}`))

/** Empty for a bounce, whose sender is null. */
const domainOf = sender => sender.slice(sender.lastIndexOf('@') + 1).toLowerCase()

function targetsOf({ sender = '', client_address = '' }, { allow }) {
  const domain = sender.includes('@') ? domainOf(sender) : ''
  if (domain !== '' && isAllowed(domain, allow)) return []
  return [
    ...(domain.includes('.') ? [{ domain }] : []),
    ...(client_address === '' || client_address === 'unknown' ? [] : [{ ip: client_address }]),
  ]
}

/** Malicious, suspicious or null. Null also for what assay cannot check, such as a private address. */
async function ask(target, { url, key }, signal) {
  const query = new URLSearchParams({ ...target, visit: 'false', fields: 'verdict,risk_score,domain,ip' })
  const response = await fetch(`${url}/api/v1/check?${query}`, { headers: { 'X-API-Key': key }, signal })
  const answer = await response.json()
  if (response.status === 400 || response.status === 422) return null
  if (!response.ok) throw new Error(`HTTP status ${response.status} ${answer.code ?? ''}`)
  const { verdict, risk_score, domain, ip } = answer
  return verdict in DEFAULTS.actions ? { verdict, risk_score, target: domain ?? ip } : null
}

/** The worse finding decides. A failure never delays or refuses mail. */
async function judge(request, settings, log) {
  const signal = AbortSignal.timeout(settings.timeout_ms)
  const asked = targetsOf(request, settings).map(target =>
    ask(target, settings, signal).catch(error => {
      log(`cannot ask about ${Object.values(target)[0]}: ${error.cause?.code ?? error.message}`)
      return null
    }),
  )
  const found = (await Promise.all(asked)).filter(finding => finding !== null)
  return found.sort((one, other) => other.risk_score - one.risk_score)[0] ?? null
}

/** Our own words and canonical names only, so that no text of a target becomes a header or a reply. */
function actionText({ verdict, risk_score, target }, action) {
  if (action === 'prepend') return `PREPEND X-Assay: ${verdict}; target=${target}; score=${risk_score}`
  if (action === 'defer') return `DEFER 4.7.1 ${target} is ${verdict}`
  return action === 'reject' ? `REJECT 5.7.1 ${target} is ${verdict}` : 'DUNNO'
}

/** One header a message: Postfix asks again for each recipient, with the same instance. */
function createOnce() {
  const seen = new Set()
  return instance => {
    if (instance === undefined || instance === '') return true
    if (seen.has(instance)) return false
    seen.add(instance)
    if (seen.size > MESSAGES) seen.delete(seen.values().next().value)
    return true
  }
}

function createPolicy(settings, log) {
  const isFirst = createOnce()
  return async request => {
    const finding = await judge(request, settings, log)
    if (finding === null) return 'DUNNO'
    const action = settings.actions[finding.verdict]
    return action === 'prepend' && !isFirst(request.instance) ? 'DUNNO' : actionText(finding, action)
  }
}

/** Attributes of a request: lines of name=value. */
const parseRequest = text =>
  Object.fromEntries(
    text.split('\n').map(line => {
      const at = line.indexOf('=')
      return [line.slice(0, at), line.slice(at + 1)]
    }),
  )

function serve(settings, log) {
  const policy = createPolicy(settings, log)
  const server = createServer({ allowHalfOpen: true }, socket => {
    let received = ''
    let answered = Promise.resolve()
    socket.setEncoding('utf8')
    socket.on('error', () => {})
    socket.on('end', () => answered.then(() => socket.end()))
    socket.on('data', part => {
      received += part
      const requests = received.split('\n\n')
      received = requests.pop() ?? ''
      if (received.length > REQUEST_CHARACTERS) socket.destroy()
      for (const text of requests) {
        answered = answered.then(async () => {
          const action = await policy(parseRequest(text))
          if (!socket.destroyed) socket.write(`action=${action}\n\n`)
        })
      }
    })
  })
  server.on('error', error => {
    log(error.message)
    process.exit(1)
  })
  server.listen(settings.port, settings.host, () => log(`listens on ${settings.host} port ${server.address().port}`))
}

const log = text => process.stderr.write(`assay policy: ${text}\n`)
try {
  serve(readSettings(process.argv[2] ?? 'policy.json'), log)
} catch (error) {
  log(error.message)
  process.exitCode = 78
}

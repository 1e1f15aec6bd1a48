// This machine: open files, privileges, ports and the clock.
import { readFileSync } from 'node:fs'
import type { Config } from '../../config/config.ts'
import { portFault } from '../../network/port.ts'
import { type DoctorFinding, failed, ok, warning } from './finding.ts'

/** Descriptors of a busy service: 10 000 clients and up to 12 for each running check (docs/capacity.md, Sizing). */
const OPEN_FILES = 16_384
/** Below that, some dozens of clients and checks at once are too many. */
const OPEN_FILES_LEAST = 1_024

/** The limit of the shell, which a service manager may set otherwise for the service. */
export function examineLimits(limits = ownLimits()): readonly DoctorFinding[] {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1]
  if (soft === undefined) return []
  const files = soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft)
  const message = `${soft} files may be open at once`
  if (files >= OPEN_FILES) return [ok('limits', message)]
  const advice = `Set LimitNOFILE=${OPEN_FILES} in the systemd unit, or run \`ulimit -n ${OPEN_FILES}\` before the start`
  return [files < OPEN_FILES_LEAST ? failed('limits', message, advice) : warning('limits', message, advice)]
}

/** Linux only; empty elsewhere. */
function ownLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}

export function examinePrivileges(uid = process.getuid?.()): readonly DoctorFinding[] {
  if (uid !== 0) return [ok('privileges', 'not run as root')]
  return [
    warning(
      'privileges',
      'run as root, which the service never needs',
      'Run it as a user of its own, as deploy/assay.service does',
    ),
  ]
}

/** `isServed`: whether a service runs on the data directory and holds its ports; null when the store does not say. */
export async function examinePorts(
  { server, metrics }: Config,
  isServed: boolean | null,
): Promise<readonly DoctorFinding[]> {
  const ports = [
    { check: 'port', host: server.host, port: server.port, setting: '`server`' },
    ...(metrics.expose === 'port' && metrics.port !== null
      ? [{ check: 'metrics port', host: metrics.host, port: metrics.port, setting: '`metrics`' }]
      : []),
  ]
  return Promise.all(
    ports.map(async ({ check, host, port, setting }) => {
      const fault = await portFault(host, port)
      const place = `${host} port ${port}`
      if (fault === null) {
        return isServed
          ? warning(
              check,
              `${place} is free although a service runs on the data directory`,
              `Start the service with this configuration, or examine the one that it has: --config FILE`,
            )
          : ok(check, `${place} is free`)
      }
      if (fault === 'EADDRINUSE' && isServed) return ok(check, `${place} is in use, as by the running service`)
      if (fault === 'EADDRINUSE' && isServed === null)
        return warning(
          check,
          `${place} is in use`,
          `Ignore this if the service runs here; otherwise choose another in ${setting}`,
        )
      return failed(check, `${place}: ${faults[fault] ?? fault}`, `Choose another in ${setting} of the configuration`)
    }),
  )
}

const faults: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process uses that port',
  EACCES: 'this user is not allowed to use that port',
  EADDRNOTAVAIL: 'this machine does not have that address',
}

/** Milliseconds that a clock may differ: enough for the seconds of a `Date` header and a slow answer. */
const CLOCK_MS = 5_000
/** From there, certificates, quota periods and webhooks go wrong. */
const CLOCK_WRONG_MS = 60_000
/** A clock before this release was made has lost its time. */
const RELEASE_TIME = Date.parse('2026-01-01T00:00:00Z')

/** `peer` is the time of another machine and its name; null when none sent its time. */
export function examineClock(
  now: number,
  peer: { readonly name: string; readonly time: number } | null,
): DoctorFinding {
  const advice = 'Synchronise the clock by NTP (chrony, systemd-timesyncd)'
  const time = new Date(now).toISOString().slice(0, 19)
  if (now < RELEASE_TIME) return failed('clock', `says ${time}Z, before this release was made`, advice)
  if (peer === null) return ok('clock', `says ${time}Z; not compared with another`)
  const off = now - peer.time
  const seconds = Math.round(Math.abs(off) / 1_000)
  const message = `${seconds} s ${off < 0 ? 'behind' : 'ahead of'} ${peer.name}`
  if (Math.abs(off) >= CLOCK_WRONG_MS) return failed('clock', message, advice)
  return Math.abs(off) > CLOCK_MS ? warning('clock', message, advice) : ok('clock', `agrees with ${peer.name}`)
}

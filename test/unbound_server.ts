// A real Unbound on a free port of loopback. It has no uplink but what its configuration gives it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DnsDaemon, freePort, startDaemon } from './dns_daemon.ts'
import { without } from './needs.ts'
import { temporaryDirectory } from './temporary_directory.ts'

/** Why tests that need it are left out; false where it is installed. */
export const withoutUnbound = without('unbound')

/** Starts it with these lines of `unbound.conf` besides those that keep it on loopback. Rejects when it does not listen. */
export async function startUnbound(lines: string): Promise<DnsDaemon> {
  const directory = temporaryDirectory()
  const port = await freePort()
  const config = join(directory, 'unbound.conf')
  writeFileSync(
    config,
    `server:
  interface: 127.0.0.1@${port}
  access-control: 127.0.0.0/8 allow
  do-daemonize: no
  do-not-query-localhost: no
  username: ""
  chroot: ""
  directory: "${directory}"
  pidfile: ""
  use-syslog: no
  module-config: "iterator"
remote-control:
  control-enable: no
${lines}`,
  )
  return startDaemon('unbound', ['-d', '-c', config], port)
}

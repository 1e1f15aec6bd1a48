// Two network namespaces joined by a cable: the service in one, the world in the other, both of them ours alone.
// Whatever the service sends to a forbidden address leaves by an interface where nothing else does, and is counted there.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { networks, type Stage } from './stage.ts'

/** Whoever is not root becomes it in a user namespace, where the system allows that. */
const unshare = userInfo().uid === 0 ? ['--net'] : ['--user', '--map-root-user', '--net']

const WORLD = '45.90.0.1'
const SERVICE = '45.90.0.2'

/** IANA's special-purpose blocks and their like, as routes: 127.0.0.0/8, ::1 and the service's own address leave by `lo`. */
const forbidden = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '240.0.0.0/4',
  '168.63.129.16/32',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/32',
  '2001:db8::/32',
  '2002::/16',
  'fc00::/7',
  'fec0::/10',
  '::/96',
]

/** Runs a command in a new network namespace, its output ours. Resolves with its exit code. */
export function runInNamespace(command: string, args: readonly string[]): ChildProcess {
  return spawn('unshare', [...unshare, command, ...args], { stdio: ['ignore', 'inherit', 'inherit'] })
}

/** To be called in a process that `runInNamespace` started: the world is there. */
export async function openNamespaceStage(): Promise<Stage> {
  const holder = spawn('unshare', ['--net', 'sleep', 'infinity'], { stdio: 'ignore' })
  const inside = ['-t', String(holder.pid), '-n']
  await namespaceOf(holder)
  configure(
    'ip',
    [],
    [
      'link set lo up',
      'link add cable type veth peer name out',
      'link set cable up',
      `link set out netns ${holder.pid}`,
      `addr add ${WORLD}/30 dev cable`,
      'addr add 2a10:3780::1/126 dev cable nodad',
      ...[networks.lab, networks.clients].map(network => `route add local ${network} dev lo`),
      `route add local ${networks.lab6} dev lo`,
      `route add blackhole ${networks.hole6}`,
      'rule add pref 100 table local',
      'rule del pref 0',
      `rule add pref 50 to ${networks.half_hole} ipproto tcp dport 443 blackhole`,
    ],
  )
  writeFileSync('/proc/sys/net/ipv6/ip_nonlocal_bind', '1')
  configure(
    'nsenter',
    [...inside, 'ip'],
    [
      'link set lo up',
      'link set out up',
      `addr add ${SERVICE}/30 dev out`,
      'addr add 2a10:3780::2/126 dev out nodad',
      `route add default via ${WORLD}`,
      'route add ::/0 via 2a10:3780::1',
      'link add trap type veth peer name trapped',
      'link set trap addrgenmode none arp off',
      'link set trapped addrgenmode none',
      'link set trap up',
      'link set trapped up',
      ...forbidden.map(block => `route add ${block} dev trap`),
    ],
  )
  await pause(50)
  requireSinging(holder, inside)
  const counted = () => sentBy(holder, 'trap') + sentBy(holder, 'lo')
  const before = counted()
  return {
    name: 'namespace',
    front: (address, port) => ({ host: address, port }),
    dns_host: WORLD,
    service: { bind: '0.0.0.0', address: SERVICE },
    clientAddress: number => `45.91.${number >> 8}.${number & 255}`,
    wrap: (command, args) => ['nsenter', [...inside, command, ...args]],
    forbiddenPackets: () => counted() - before,
    close: () => void holder.kill('SIGKILL'),
  }
}

/** A canary that cannot sing proves nothing: what is sent on purpose must be counted. */
function requireSinging(holder: ChildProcess, inside: readonly string[]): void {
  const before = ['trap', 'lo'].map(name => sentBy(holder, name))
  const send = ['10.1.2.3', 'fc00::1', '127.0.0.1'].map(address => `echo > /dev/udp/${address}/9`).join('; ')
  spawnSync('nsenter', [...inside, 'bash', '-c', send])
  const [trapped = 0, looped = 0] = ['trap', 'lo'].map((name, at) => sentBy(holder, name) - (before[at] ?? 0))
  if (trapped < 2 || looped < 1) throw new Error(`canaries counted ${trapped} and ${looped} packets of 2 and 1`)
}

/** Resolves when the child has left our namespace. */
async function namespaceOf(child: ChildProcess): Promise<void> {
  const own = interfaces('self')
  for (let tries = 0; tries < 200; tries++) {
    if (readFileSync(`/proc/${child.pid}/comm`, 'utf8').trim() === 'sleep' && interfaces(String(child.pid)) <= own)
      return
    await pause(10)
  }
  throw new Error('no namespace for the service')
}

const interfaces = (pid: string) => readFileSync(`/proc/${pid}/net/dev`, 'utf8').split('\n').length

function configure(command: string, args: readonly string[], lines: readonly string[]): void {
  const { status, stderr } = spawnSync(command, [...args, '-batch', '-'], { input: `${lines.join('\n')}\n` })
  if (status !== 0) throw new Error(`${command}: ${stderr}`)
}

/** The tenth number of an interface's line is its packets sent. */
function sentBy({ pid }: ChildProcess, name: string): number {
  const line = readFileSync(`/proc/${pid}/net/dev`, 'utf8')
    .split('\n')
    .find(one => one.trim().startsWith(`${name}:`))
  const sent = line?.split(':')[1]?.trim().split(/\s+/)[9]
  if (sent === undefined) throw new Error(`no interface ${name}`)
  return Number(sent)
}

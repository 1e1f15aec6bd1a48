// The world around the one service: resolvers, registries, lists, a directory, a healthy site; and the part of a case in it.
import { createAuthority, selfSign } from '../../src/testing/lab_ca.ts'
import {
  type LabFault,
  type LabQuestion,
  type LabRecords,
  type LabZones,
  startLabDns,
} from '../../src/testing/lab_dns.ts'
import { type LabHandler, type LabWeb, startLabWeb } from '../../src/testing/lab_web.ts'
import type { Place, World } from './case.ts'
import { healthyPage } from './healthy.ts'
import type { FaultService } from './service.ts'
import type { Stage } from './stage.ts'

export interface FaultWorld {
  readonly resolvers: readonly string[]
  /** PEM. */
  readonly root: string
  place(number: number): Place
  /** Makes a case's world; `end` unmakes it. */
  enact(
    place: Place,
    world: World,
    service: FaultService,
  ): Promise<{ web: LabWeb; queries: LabQuestion[]; end(): Promise<void> }>
  /** What every case may meet: to be told to the service once it runs. */
  settle(service: FaultService): Promise<void>
  close(): Promise<void>
}

export const GREEN_HOST = 'green.directory.lab'
/** The directory proves the way out by both families. */
const fixed = { control: '93.184.0.10', rdap: '93.184.0.11', green: '93.184.0.12', green6: '2a10:3781::ffff:12' }

interface Playing {
  readonly place: Place
  readonly world: World
  readonly queries: LabQuestion[]
}

export async function startFaultWorld(stage: Stage): Promise<FaultWorld> {
  const root = createAuthority()
  const issuer = root.subordinate({
    subject: [
      ['CN', 'Lab Issuing CA'],
      ['O', 'Lab Trust Services'],
    ],
  })
  const zones: LabZones = { ...standing() }
  const playing = new Set<Playing>()
  const concerned = (name: string) => [...playing].find(({ place }) => isAbout(name, place))
  const servers = await Promise.all(
    [0, 1].map(server =>
      startLabDns({
        zones,
        host: stage.dns_host,
        fault: question => {
          const found = concerned(question.name)
          found?.queries.push(question)
          return found?.world.dns?.(question, server)
        },
      }),
    ),
  )
  const rdap: LabHandler = request => {
    const found = [...playing].find(({ place }) => place.registry === request.host)
    return found?.world.rdap?.(request) ?? { status: 404 }
  }
  const standingSites = [
    {
      host: 'control.lab',
      addresses: [fixed.control],
      https: healthyPage,
      credentials: issuer.issue({ names: ['*.control.lab'] }),
    },
    { host: 'rdap.lab', addresses: [fixed.rdap], https: rdap, credentials: issuer.issue({ names: ['*.rdap.lab'] }) },
    {
      host: GREEN_HOST,
      addresses: [fixed.green, fixed.green6],
      https: green,
      credentials: issuer.issue({ names: [GREEN_HOST] }),
    },
  ]
  const web = await startLabWeb(standingSites, { front: stage.front })
  const tell = async (service: FaultService, from: LabWeb, there: boolean) => {
    if (stage.name === 'namespace') return
    await service.place({ places: [...from.places].map(([place, to]) => [place, there ? to : null]) })
  }
  return {
    resolvers: servers.map(({ address }) => address),
    root: root.certificate,
    place: number => placeOf(number, issuer),
    settle: service => tell(service, web, true),
    async enact(place, world, service) {
      const own = { [place.name]: { A: [place.address] }, ...world.zones }
      Object.assign(zones, own)
      const played: Playing = { place, world, queries: [] }
      playing.add(played)
      const site = await startLabWeb(world.sites ?? [], { front: stage.front })
      for (const { at = place.address, port, steps, tls } of world.scripts ?? []) {
        const { key, cert } = tls === true ? place.issue() : { key: '', cert: '' }
        await site.script(at, port, steps, tls === true ? { key, cert } : tls)
      }
      await tell(service, site, true)
      return {
        web: site,
        queries: played.queries,
        async end() {
          await tell(service, site, false)
          await site.close()
          world.end?.()
          playing.delete(played)
          for (const name of Object.keys(own)) delete zones[name]
        },
      }
    },
    async close() {
      await Promise.all([web.close(), ...servers.map(server => server.close())])
    },
  }
}

const green: LabHandler = () => ({
  body: '{"green":true,"hosted_by":"Lab Hosting"}',
  headers: [['Content-Type', 'application/json']],
})

/** The test points of the two lists that are asked (RFC 5782 section 5), and the names of what stands. */
const standing = (): LabZones => ({
  '*.control.lab': { A: [fixed.control] },
  '*.rdap.lab': { A: [fixed.rdap] },
  [GREEN_HOST]: { A: [fixed.green], AAAA: [fixed.green6] },
  '2.0.0.127.zen.spamhaus.org': { A: ['127.0.0.2'] } satisfies LabRecords,
  'test.dbl.spamhaus.org': { A: ['127.0.1.2'] },
  'dbltest.com.dbl.spamhaus.org': { A: ['127.0.1.2'] },
})

/** Its name, names below it, and what lists are asked of it and its addresses. */
const isAbout = (asked: string, { name, other, registered, address }: Place): boolean =>
  [name, other, registered].some(one => asked === one || asked.endsWith(`.${one}`) || asked.includes(`${one}.`)) ||
  asked.startsWith(`${address.split('.').reverse().join('.')}.`)

function placeOf(number: number, issuer: ReturnType<typeof createAuthority>): Place {
  const [high, low] = [10 + (number >> 7), (number & 127) * 2]
  const name = `case${number}.lab`
  return {
    name,
    registered: `case${number}.registered`,
    registry: `r${number}.rdap.lab`,
    address: `93.184.${high}.${low}`,
    address6: `2a10:3781::${high.toString(16)}:${low.toString(16)}`,
    other: `other${number}.lab`,
    other_address: `93.184.${high}.${low + 1}`,
    hole: `93.185.${high}.${low}`,
    hole6: `2a10:3781:dead::${number.toString(16)}`,
    half_hole: `93.184.255.${number & 255}`,
    issue: (options = {}) => issuer.issue({ names: [name], ...options }),
    selfSign: (options = {}) => selfSign({ names: [name], ...options }),
  }
}

export type { LabFault }

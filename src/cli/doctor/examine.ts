// Everything that an examination looks at, in the order of its lines. The service's own instruments give the answers.
import type { Clock } from '../../base/clock.ts'
import { isHealthy } from '../../base/health/standing.ts'
import type { Config } from '../../config/config.ts'
import type { Environment } from '../../config/environment.ts'
import { chooseDatasets } from '../../knowledge/datasets/choose.ts'
import { knownDatasets } from '../../knowledge/datasets/known_datasets.ts'
import type { CheckService } from '../../service/service.ts'
import { isServed } from '../../store/sql/sqlite/file.ts'
import { examineBrowser, findBrowser } from './browser.ts'
import type { DoctorFinding } from './finding.ts'
import { examineDatasets, examineLists, examineWay } from './instruments.ts'
import { examineClock, examineLimits, examinePorts, examinePrivileges } from './machine.ts'
import { examineMail } from './mail.ts'
import { examineSettings } from './settings.ts'
import { examineDirectory, examineFile, examinePostgres } from './store.ts'

export interface ExaminedInstallation {
  readonly config: Config
  readonly file: string | undefined
  readonly environment: Pick<Environment, 'variables'>
  readonly service: Pick<
    CheckService,
    'notices' | 'instruments' | 'resolvers' | 'datasets' | 'blocklists' | 'start' | 'peerTime' | 'rendering' | 'mail'
  >
  readonly disclosures: readonly string[]
  /** Contacts nothing but the store. */
  readonly offline: boolean
  readonly clock: Pick<Clock, 'now'>
  /** What is known about the keys of the store. */
  keys(): Promise<readonly DoctorFinding[]>
}

/** Never rejects for what it finds. */
export async function examine(installation: ExaminedInstallation): Promise<readonly DoctorFinding[]> {
  const { config, service, offline, clock } = installation
  // Without the network, copies of datasets on disk are all there is to load.
  await (offline ? service.datasets.load() : service.start())
  const peer = offline ? null : await service.peerTime()
  // Services that share a PostgreSQL run on any machine.
  const hasService = config.store === null ? isServed(config.data) : null
  const instruments = service.instruments()
  const states = new Map(instruments.flatMap(one => (one.kind === 'list' ? [[one.name, one] as const] : [])))
  const hasResolver = instruments.some(one => one.kind === 'resolver' && isHealthy(one))
  // A notice about a list that is off by default is repeated at the list, with what it means.
  const offs = service.blocklists.flatMap(({ off }) => off ?? [])
  const notices = service.notices.filter(notice => !offs.some(off => notice.endsWith(off)))
  return [
    ...examineSettings({ ...installation, notices }),
    ...examineDirectory({
      directory: config.data,
      history_bytes: config.history.days === 0 ? 0 : config.history.max_bytes,
    }),
    ...(config.store === null ? await examineFile(config.data) : await examinePostgres(config.store, clock)),
    ...(await installation.keys()),
    ...(offline ? [] : examineWay(instruments, service.resolvers())),
    ...(offline ? [] : await examineMail(config.watch.mail, service.mail)),
    examineClock(clock.now(), peer),
    ...examineLimits(),
    ...examinePrivileges(),
    ...(await examinePorts(config, hasService)),
    await examineBrowser(config, service.rendering, findBrowser()),
    ...examineDatasets(service.datasets.status(), offsOf(config)),
    ...examineLists(service.blocklists, offline || !hasResolver ? null : states),
  ]
}

/** Why datasets that the operator enabled are off by default. A place of the operator's own, such as one with a key, is not meant. */
function offsOf({ datasets }: Config): ReadonlyMap<string, string> {
  const enabledDatasets = chooseDatasets(datasets).filter(one => one.enabled && one.off !== null)
  return new Map(
    enabledDatasets.flatMap(({ id, url, off }) =>
      off !== null && knownDatasets.some(own => own.id === id && own.url === url) ? [[id, off]] : [],
    ),
  )
}

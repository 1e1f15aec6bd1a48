// The lab, the engine and the minimal scripts, each in a separate process.
import { type Child, CORE, startChild } from './child.ts'
import { type Lab, type LabSettings, type LabTraffic, startLab } from './lab.ts'
import type { Repeat, Taken } from './repeat.ts'

export interface Contest {
  readonly lab: Lab
  readonly engine: Child
  readonly minimal: Child
  /** One more process with the minimal scripts. */
  another(): Promise<Child>
  /** The traffic of one check in the lab, and the connections it opens. */
  traffic(): Promise<LabTraffic & { readonly connections: number }>
  end(): Promise<void>
}

export async function startContest(settings: Partial<LabSettings> = {}): Promise<Contest> {
  const lab = await startLab(settings)
  const options = { core: CORE.measured, env: lab.env }
  const processes: { end(): Promise<void> }[] = [lab]
  const open = async (child: Child) => {
    processes.push(child)
    await child.ask('open', lab.reachable)
    return child
  }
  const another = () => open(startChild('minimal_process', options))
  const engine = await open(startChild('engine_process', { ...options, flags: ['--expose-gc'] }))
  const minimal = await another()
  return {
    lab,
    engine,
    minimal,
    another,
    async traffic() {
      await lab.traffic()
      const before = await engine.ask<number>('connections')
      await engine.ask<Taken>('checks', { times: 1, at_once: 1 } satisfies Repeat)
      const connections = (await engine.ask<number>('connections')) - before
      return { ...(await lab.traffic()), connections }
    },
    async end() {
      await Promise.all(processes.map(one => one.end()))
    },
  }
}

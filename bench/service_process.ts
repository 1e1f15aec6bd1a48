// The complete service with store, log and API, which connects to the lab.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { settle } from '../src/cli/options.ts'
import { serve } from '../src/cli/serve.ts'
import { answerTasks } from './child.ts'
import { dialTo, type Reachable } from './lab.ts'

export interface ServiceTask {
  readonly reachable: Reachable
  /** Holds configuration and data. */
  readonly directory: string
  readonly settings: object
}

/** The started service. */
export interface Started {
  readonly url: string
  /** The first key. */
  readonly key: string
}

answerTasks({
  async start({ reachable, directory, settings }: ServiceTask): Promise<Started> {
    const config = join(directory, 'config.json')
    writeFileSync(config, JSON.stringify({ ...settings, network: { resolvers: [reachable.resolver] } }))
    let said = ''
    const err = (text: string) => {
      said += text
    }
    await serve(
      await settle({ config, port: '0' }),
      { dial: dialTo(reachable), extra_roots: reachable.root },
      { out: () => {}, err },
    )
    const [key = ''] = /assay_\w+/.exec(said) ?? []
    const [, url = ''] = /listens on (http:\S+)/.exec(said) ?? []
    return { url, key }
  },
})

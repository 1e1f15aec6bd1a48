// The complete service with store, log and API, which connects to the lab.
import { writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { settle } from '../../src/cli/options.ts'
import { serve } from '../../src/cli/serve.ts'
import { serveWithWorkers } from '../../src/cli/serve_workers.ts'
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

const worker = fileURLToPath(new URL(`./worker_process${extname(import.meta.url)}`, import.meta.url))

answerTasks({
  async start({ reachable, directory, settings }: ServiceTask): Promise<Started> {
    const config = join(directory, 'config.json')
    writeFileSync(config, JSON.stringify({ ...settings, network: { resolvers: [reachable.resolver] } }))
    let said = ''
    const err = (text: string) => {
      said += text
    }
    const setting = await settle({ config, port: '0' })
    const { workers } = setting.config.server
    const output = { out: () => {}, err }
    if (typeof workers === 'number' && workers > 1) {
      const book = join(directory, 'lab.json')
      writeFileSync(book, JSON.stringify(reachable))
      await serveWithWorkers(setting, workers, output, [worker, book])
    } else await serve(setting, { dial: dialTo(reachable), extra_roots: reachable.root }, output)
    const [key = ''] = /assay_\w+/.exec(said) ?? []
    const [, url = ''] = /listens on (http:\S+)/.exec(said) ?? []
    return { url, key }
  },
})

// Some workers on one port, the first of which is halted and then killed while clients ask; prints how each request ended. Argument:
// the number of workers.
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { returnUntaken } from '../../src/workers/untaken.ts'

const REQUESTS = 4

const ended = (port: number) =>
  new Promise<string>(resolve => {
    get({ host: '127.0.0.1', port, agent: false }, response => {
      response.resume()
      resolve(String(response.statusCode))
    }).on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })

async function ask(count: number): Promise<void> {
  const workers = Array.from({ length: count }, () => cluster.fork())
  for (const worker of workers) returnUntaken(worker, () => workers.some(other => other !== worker && !other.isDead()))
  const places = await Promise.all(workers.map(worker => once(worker, 'listening') as Promise<[AddressInfo]>))
  const { process: first } = workers[0] as Worker
  const { send } = first
  const handed = new Promise<void>(resolve => {
    first.send = ((...all: Parameters<typeof send>) => {
      resolve()
      return Reflect.apply(send, first, all)
    }) as typeof send
  })
  first.kill('SIGSTOP')
  const answers = Array.from({ length: REQUESTS }, () => ended(places[0]?.[0].port ?? 0))
  await handed
  first.kill('SIGKILL')
  console.log(JSON.stringify(await Promise.all(answers)))
  for (const worker of workers) worker.process.kill('SIGKILL')
}

if (cluster.isPrimary) await ask(Number(process.argv.at(-1)))
else createServer((_, response) => response.end()).listen(0, '127.0.0.1')

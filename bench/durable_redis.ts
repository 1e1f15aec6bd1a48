// A Redis that keeps its data in a file of its own directory, to be killed, stopped for a while and started again.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '@redis/client'
import { freePort } from './redis.ts'

export interface DurableRedis {
  readonly url: string
  /** Kills it and starts it again, with or without its data. */
  restart(keepsData: boolean): Promise<void>
  /** It answers nothing for some milliseconds. */
  halt(ms: number): Promise<void>
  end(): Promise<void>
}

export async function startDurableRedis(directory: string): Promise<DurableRedis> {
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', directory, '--appendonly', 'yes', '--save', '']
  let child = spawn('redis-server', args, { stdio: 'ignore' })
  process.once('exit', () => child.kill('SIGKILL'))
  await answers(url)
  return {
    url,
    async restart(keepsData) {
      await kill(child)
      if (!keepsData) rmSync(join(directory, 'appendonlydir'), { recursive: true })
      child = spawn('redis-server', args, { stdio: 'ignore' })
      await answers(url)
    },
    async halt(ms) {
      child.kill('SIGSTOP')
      await pause(ms)
      child.kill('SIGCONT')
    },
    end: () => kill(child),
  }
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** Also waits until it has read its data. */
async function answers(url: string): Promise<void> {
  for (;;) {
    const client = createClient({ url, socket: { reconnectStrategy: false } })
    client.on('error', () => {})
    const isUp = await client
      .connect()
      .then(() => client.ping())
      .catch(() => null)
    if (client.isOpen) client.destroy()
    if (isUp === 'PONG') return
    await pause(20)
  }
}

// Repeats work and measures what it costs this process.

export interface Repeat {
  readonly times: number
  readonly at_once: number
}

export interface Taken {
  /** Milliseconds in total, and CPU microseconds per run, including all threads and kernel time. */
  readonly wall_ms: number
  readonly cpu_us: number
  readonly per_second: number
}

export async function repeat({ times, at_once }: Repeat, work: () => Promise<unknown>): Promise<Taken> {
  let left = times
  const worker = async () => {
    while (left-- > 0) await work()
  }
  const cpu = process.cpuUsage()
  const began = performance.now()
  await Promise.all(Array.from({ length: at_once }, worker))
  const wall_ms = performance.now() - began
  const { user, system } = process.cpuUsage(cpu)
  return { wall_ms, cpu_us: (user + system) / times, per_second: (times / wall_ms) * 1_000 }
}

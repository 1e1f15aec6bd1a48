// A control group of the test's own, by the first or the second version of the kernel's interface.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = '/sys/fs/cgroup'
const PERIOD_US = 100_000

export interface Cgroup {
  /** To be prefixed to a command, which then runs in the group from its first page of memory on. */
  readonly through: readonly string[]
  /** Limits the process to this share of a core; its start, which is none of the test, is over by then. */
  limitCpu(pid: number): void
  /** Processes that the kernel killed for want of memory. */
  readonly oom_kills: () => number
  remove(): void
}

/** Null where the system does not let us have one. */
export function createCgroup(name: string, memory_bytes: number, cores: number): Cgroup | null {
  try {
    return existsSync(join(ROOT, 'cgroup.controllers'))
      ? secondVersion(name, memory_bytes, cores)
      : firstVersion(name, memory_bytes, cores)
  } catch {
    return null
  }
}

const into = (file: string) => ['sh', '-c', `echo $$ > ${file} && exec "$0" "$@"`]

function secondVersion(name: string, memory_bytes: number, cores: number): Cgroup {
  const group = join(ROOT, name)
  const path = (file: string) => join(group, file)
  mkdirSync(group)
  writeFileSync(path('memory.max'), String(memory_bytes))
  if (existsSync(path('memory.swap.max'))) writeFileSync(path('memory.swap.max'), '0')
  return {
    through: into(path('cgroup.procs')),
    limitCpu: () => writeFileSync(path('cpu.max'), `${cores * PERIOD_US} ${PERIOD_US}`),
    oom_kills: () => counted(path('memory.events')),
    remove: () => rmdirSync(group),
  }
}

function firstVersion(name: string, memory_bytes: number, cores: number): Cgroup {
  const [memory, cpu] = [join(ROOT, 'memory', name), join(ROOT, 'cpu', name)]
  for (const group of [memory, cpu]) mkdirSync(group)
  writeFileSync(join(memory, 'memory.limit_in_bytes'), String(memory_bytes))
  writeFileSync(join(cpu, 'cpu.cfs_period_us'), String(PERIOD_US))
  writeFileSync(join(cpu, 'cpu.cfs_quota_us'), String(cores * PERIOD_US))
  return {
    through: into(join(memory, 'cgroup.procs')),
    limitCpu: pid => writeFileSync(join(cpu, 'cgroup.procs'), String(pid)),
    oom_kills: () => counted(join(memory, 'memory.oom_control')),
    remove: () => {
      for (const group of [memory, cpu]) rmdirSync(group)
    },
  }
}

const counted = (file: string) => Number(/^oom_kill (\d+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? 0)

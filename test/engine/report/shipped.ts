// The presentations as shipped, and reports made with them.
import { builtInPlugins } from '../../../plugins/index.ts'
import type { Description } from '../../../src/engine/presentation/presentation.ts'
import { createRegistry } from '../../../src/engine/registry.ts'
import { presentationsOf } from '../../../src/engine/report/presentations.ts'
import { buildReport } from '../../../src/engine/report/report.ts'
import { DEFAULT_GROUPS } from '../../../src/engine/scoring/groups.ts'

export const { registry } = createRegistry(builtInPlugins, { plugins: {}, groups: DEFAULT_GROUPS })

export const presentations = presentationsOf(registry, (plugin, error) => {
  throw new Error(`${plugin} cannot describe its section`, { cause: error })
})

export const reportOf = (result: object) => buildReport(result as Readonly<Record<string, unknown>>, presentations)

/** The section in words; throws when its plugin does. */
export const describeSection = (
  name: string,
  section: unknown,
  { reason = null }: { readonly reason?: string | null } = {},
): Description => presentations.section(name).describe(section, { isWhole: reason === null, domain: 'example.com' })

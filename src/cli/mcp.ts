// `assay mcp`: checks for an agent on this machine, by the Model Context Protocol over standard input and output.
import { once } from 'node:events'
import type { Command } from 'commander'
import { resultSchema } from '../engine/result_schema.ts'
import { createService } from '../service/service.ts'
import { defectLines } from './defects.ts'
import { pasteable } from './invocation.ts'
import { printNotices } from './notices.ts'
import { configOption, type SharedOptions, settle } from './options.ts'
import type { Output } from './output.ts'

const HELP = `
Speaks the Model Context Protocol on standard input and output until the input ends. Tools: check_domain, check_ip, check_url,
explain_signal, compare, and screenshot where pages are rendered. An entry for an agent's configuration:

  { "mcpServers": { "assay": { "command": "assay", "args": ["mcp"] } } }

Checks run in this process, without keys and quotas. A running service offers the same tools at /mcp, with its keys.`

export function defineMcp(command: Command, { err }: Output): void {
  configOption(command)
    .addHelpText('after', pasteable(HELP))
    .action((options: SharedOptions) => speak(options, err))
}

async function speak(options: SharedOptions, err: Output['err']): Promise<void> {
  const [{ serveStdio }, { createTools, createToolSchemas }, { createLocalDesk }, { signalsOf }] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    import('../service/mcp/tools.ts'),
    import('../service/mcp/local_desk.ts'),
    import('../service/mcp/signals.ts'),
  ])
  const { config, registry, environment } = await settle(options)
  const extensions = [defectLines(err)]
  const service = await createService({ config, registry, extra_roots: environment.extra_roots, extensions })
  try {
    printNotices({ notices: service.notices, config, registry }, err)
    // Agents expect an answer to `initialize` within seconds, so only checks wait for datasets and proofs.
    const startup = service.start()
    const desk = createLocalDesk({
      engine: service.engine,
      vetting: service.guard,
      signals: signalsOf(registry),
      picture: service.rendering?.picture,
    })
    const ready: typeof desk = {
      ...desk,
      async check(request, signal) {
        await startup
        return desk.check(request, signal)
      },
    }
    const schemas = createToolSchemas(resultSchema(registry))
    const end = once(process.stdin, 'end')
    const connection = serveStdio(() => createTools(ready, schemas), {
      onerror: error => err(`assay: ${error.message}\n`),
    })
    await end
    await connection.close()
  } finally {
    await service.close()
  }
}

// The tools that npm runs (`npm run soak -- --minutes 5`): their help, and how they end when they are asked wrongly.
import { Command } from 'commander'
import { EXIT } from './exit_codes.ts'

/** A command whose `--help` is on the standard output, with exit code 0; a wrong command line ends it with 64. */
export const createTool = (name: string, purpose: string): Command =>
  new Command(`npm run ${name} --`)
    .description(purpose)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT.ok : EXIT.usage))

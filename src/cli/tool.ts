// The tools that npm runs (`npm run soak -- --minutes 5`): their help and their usage errors.
import { Command } from 'commander'
import { EXIT } from './exit_codes.ts'

/** A command whose `--help` goes to standard output and exits with 0; an invalid command line exits with 64. */
export const createTool = (name: string, purpose: string): Command =>
  new Command(`npm run ${name} --`)
    .description(purpose)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT.ok : EXIT.usage))

// Earlier results that a command was told to compare with.
import { NotAResult, openResults, type ResultsFile } from '../diff/results_file.ts'
import { unreadable } from '../text_file.ts'
import { CliError, EXIT } from './exit_codes.ts'

/** Ends the command when the file cannot be read or holds no results. */
export async function openBaseline(file: string): Promise<ResultsFile> {
  try {
    return await openResults(file)
  } catch (error) {
    throw new CliError(EXIT.usage, error instanceof NotAResult ? error.message : `${file}: ${unreadable(error)}`)
  }
}

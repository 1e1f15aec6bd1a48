// A recorded check as commands use it: read from its file, and analysed again without a network.
import { AnalysisUnavailable } from '../engine/outcome.ts'
import { parseRecording, type Recording, replay } from '../engine/recording.ts'
import { createService } from '../service.ts'
import { readTextFile } from '../text_file.ts'
import { CliError, EXIT } from './exit_codes.ts'
import type { Setting } from './options.ts'

/** Ends the command when the file holds no recording. */
export function readRecording(file: string): Recording {
  try {
    return parseRecording(readTextFile(file))
  } catch (error) {
    throw new CliError(EXIT.usage, `${file}: ${error instanceof Error ? error.message : error}`)
  }
}

/** What the recorded check comes to under these settings; ends the command when it saw nothing. */
export async function analyseAgain(
  recording: Recording,
  { config, registry }: Setting,
): Promise<Readonly<Record<string, unknown>>> {
  const { extension, clock } = replay(recording)
  const service = await createService({ config, registry, extensions: [extension], clock })
  try {
    return (await service.engine.check(recording.target)).result
  } catch (error) {
    throw nothingSeen(error)
  } finally {
    await service.close()
  }
}

/** The error that ends the command: there is no verdict where nothing could be looked at. */
export const nothingSeen = (error: unknown): unknown =>
  error instanceof AnalysisUnavailable
    ? new CliError(EXIT.temporary, `nothing could be looked at (${error.reason}); no verdict is given`)
    : error

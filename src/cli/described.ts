// The commands as data, read from the program itself: what completion and the manual page are made from.
import type { Argument, Command, Option } from 'commander'

export type DescribedOption = ReturnType<typeof optionOf>

export interface DescribedCommand {
  /** Its words after `assay`; none for the program. */
  readonly path: readonly string[]
  readonly description: string
  readonly options: readonly DescribedOption[]
  readonly arguments: readonly DescribedArgument[]
  readonly commands: readonly DescribedCommand[]
  /** The text that its help ends with. */
  readonly notes: string
}

export type DescribedArgument = ReturnType<typeof argumentOf>

const HELP: DescribedOption = {
  short: '-h',
  long: '--help',
  description: 'display help',
  value: null,
  isOptional: false,
  choices: [],
}

export function describeCommand(command: Command, path: readonly string[] = []): DescribedCommand {
  return {
    path,
    description: command.description(),
    options: [...command.options.filter(({ hidden }) => !hidden).map(optionOf), HELP],
    arguments: command.registeredArguments.map(argumentOf),
    commands: command.commands.map(one => describeCommand(one, [...path, one.name()])),
    notes: notesOf(command),
  }
}

const optionOf = ({ short, long, description, flags, optional, argChoices }: Option) => ({
  short: short ?? null,
  long: long ?? '',
  description,
  /** Placeholder of its value, such as `file`; null for a switch. */
  value: /[<[]([^>\]]+)/.exec(flags)?.[1] ?? null,
  /** Whether the value may be left out. */
  isOptional: optional,
  choices: argChoices ?? [],
})

const argumentOf = (argument: Argument) => ({
  name: argument.name(),
  isRequired: argument.required,
  isVariadic: argument.variadic,
  description: argument.description,
  choices: argument.argChoices ?? [],
})

/** Commander has no other way to read the text of `addHelpText`. */
function notesOf(command: Command): string {
  let text = ''
  const { writeOut, writeErr } = command.configureOutput()
  command.configureOutput({
    writeOut: part => {
      text += part
    },
  })
  command.outputHelp()
  command.configureOutput({ ...(writeOut && { writeOut }), ...(writeErr && { writeErr }) })
  return text.slice(command.helpInformation().length).trim()
}

/** The command and all below it. */
export const withCommands = (command: DescribedCommand): readonly DescribedCommand[] => [
  command,
  ...command.commands.flatMap(withCommands),
]

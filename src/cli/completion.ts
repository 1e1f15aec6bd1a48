// `assay completion`: scripts that complete commands, options and their values. They are static, because a library that asks the
// command at each key press would start Node each time.
import { Argument, type Command } from 'commander'
import { type DescribedCommand, describeCommand, withCommands } from './described.ts'
import { pasteable } from './invocation.ts'
import type { Output } from './output.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

const HELP = `
Installation:
  bash  source <(assay completion bash)
  zsh   assay completion zsh > "\${fpath[1]}/_assay"
  fish  assay completion fish > ~/.config/fish/completions/assay.fish

Put the line for bash into ~/.bashrc. The scripts complete the command \`assay\`, as a global installation offers it.`

export function defineCompletion(command: Command, output: Output, program: () => Promise<Command>): void {
  command
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', pasteable(HELP))
    .action(async (shell: Shell) => output.out(completionScript(shell, describeCommand(await program()))))
}

export const completionScript = (shell: Shell, program: DescribedCommand): string =>
  scripts[shell](withCommands(withHelpCommand(program)))

/** Commander answers `help` without listing it. */
function withHelpCommand(program: DescribedCommand): DescribedCommand {
  const choices = [...program.commands.map(({ path }) => path[0] ?? ''), 'exit-codes']
  const help: DescribedCommand = {
    path: ['help'],
    description: 'display the help of a command',
    options: [],
    arguments: [{ name: 'command', isRequired: false, isVariadic: false, description: '', choices }],
    commands: [],
    notes: '',
  }
  return { ...program, commands: [...program.commands, help] }
}

const scripts: Readonly<Record<Shell, (commands: readonly DescribedCommand[]) => string>> = { bash, zsh, fish }

/** The words of a command as the scripts gather them: each after a space. */
const placeOf = ({ path }: Pick<DescribedCommand, 'path'>): string => path.map(word => ` ${word}`).join('')

const placesBelow = (commands: readonly DescribedCommand[]): string[] =>
  commands.filter(({ path }) => path.length > 0).map(placeOf)

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
const nameOf = ({ path }: DescribedCommand): string => path.at(-1) ?? ''
const flagsOf = ({ short, long }: DescribedCommand['options'][number]): string[] =>
  short === null ? [long] : [short, long]

/** Values of this option are files or directories. */
const isFile = (value: string): boolean => value === 'file' || value === 'dir'

interface ValueCase {
  /** Patterns of a shell's `case`: the place and the option before the value. */
  readonly patterns: string
  readonly choices: readonly string[]
  readonly isFile: boolean
}

/** The options with a value that must follow. */
const valueCases = (commands: readonly DescribedCommand[]): ValueCase[] =>
  commands.flatMap(command =>
    command.options.flatMap(option =>
      option.value === null || option.isOptional
        ? []
        : {
            patterns: flagsOf(option)
              .map(flag => quote(`${placeOf(command)}:${flag}`))
              .join('|'),
            choices: option.choices,
            isFile: isFile(option.value),
          },
    ),
  )

function bash(commands: readonly DescribedCommand[]): string {
  const values = valueCases(commands).map(({ patterns, choices, isFile }) => {
    if (choices.length > 0) return `    ${patterns}) _assay_offer ${quote(choices.join(' '))} ;;`
    return `    ${patterns}) ${isFile ? '' : 'compopt +o default'} ;;`
  })
  const words = commands.map(command => {
    const below = [...command.commands.map(nameOf), ...command.arguments.flatMap(({ choices }) => choices)]
    const options = command.options.flatMap(flagsOf)
    return `      ${quote(placeOf(command))}) _assay_offer ${quote(below.join(' '))} ${quote(options.join(' '))} ;;`
  })
  return `# Completion of assay for bash.

_assay_offer() {
  local words=$1
  if [[ $current == -* ]]; then words=$2; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}

_assay() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} at= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${placesBelow(commands).map(quote).join('|')}) at+=" \${COMP_WORDS[i]}" ;;
    esac
  done
  # Bash makes three words of --option=value.
  if [[ $current == = ]]; then current=
  elif [[ $previous == = ]]; then previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case "$at:$previous" in
${values.join('\n')}
    *) case $at in
${words.join('\n')}
    esac ;;
  esac
}

complete -o default -F _assay assay
`
}

function zsh(commands: readonly DescribedCommand[]): string {
  const describe = (name: string, description: string) =>
    quote(`${name.replaceAll(':', String.raw`\:`)}:${description}`)
  const values = valueCases(commands).map(({ patterns, choices, isFile }) => {
    if (choices.length > 0) return `    ${patterns}) compadd -- ${choices.join(' ')}; return ;;`
    return `    ${patterns}) ${isFile ? '_files; ' : ''}return ;;`
  })
  const words = commands.map(command => {
    const below = command.commands.map(one => describe(nameOf(one), one.description))
    const choices = command.arguments.flatMap(argument => argument.choices.map(choice => describe(choice, '')))
    const options = command.options.flatMap(option => flagsOf(option).map(flag => describe(flag, option.description)))
    return `    ${quote(placeOf(command))})
      words_here=(${[...below, ...choices].join(' ')})
      options_here=(${options.join(' ')}) ;;`
  })
  return `#compdef assay
# Completion of assay for zsh.

_assay() {
  local at= word
  local -a words_here options_here
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${placesBelow(commands).map(quote).join('|')}) at+=" $word" ;;
    esac
  done
  case "$at:\${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  case $at in
${words.join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then _describe option options_here
  elif (( $#words_here )); then _describe command words_here
  else _files
  fi
}

if [[ $funcstack[1] == _assay ]]; then _assay "$@"; else compdef _assay assay; fi
`
}

function fish(commands: readonly DescribedCommand[]): string {
  const lines = commands.flatMap(command => {
    const here = `complete -c assay -n "__assay_is ${quote(placeOf(command))}"`
    const choices = command.arguments.flatMap(({ choices }) => choices)
    return [
      ...command.commands.map(one => `${here} -f -a ${nameOf(one)} -d ${quote(one.description)}`),
      ...(choices.length > 0 ? [`${here} -f -a ${quote(choices.join(' '))}`] : []),
      ...command.options.map(option => `${here} ${fishOption(option)} -d ${quote(option.description)}`),
    ]
  })
  return `# Completion of assay for fish.

function __assay_is
  set -l words (commandline -opc)
  set -e words[1]
  set -l at ''
  for word in $words
    switch "$at $word"
      case ${placesBelow(commands).map(quote).join(' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end

${lines.join('\n')}
`
}

function fishOption({ short, long, value, isOptional, choices }: DescribedCommand['options'][number]): string {
  const names = `${short === null ? '' : `-s ${short.slice(1)} `}-l ${long.slice(2)}`
  if (value === null || isOptional) return names
  if (choices.length > 0) return `${names} -x -a ${quote(choices.join(' '))}`
  return `${names} ${isFile(value) ? '-r -F' : '-x'}`
}

// The manual page `assay.1` in mdoc (mandoc.bsd.lv), made from the commands themselves.
import type { DescribedArgument, DescribedCommand, DescribedOption } from './described.ts'
import { EXIT_MEANINGS } from './exit_codes.ts'
import { invocation } from './invocation.ts'
import { wrap } from './report/display.ts'

const VARIABLES: readonly (readonly [name: string, meaning: string])[] = [
  ['ASSAY_CONFIG', 'the configuration file, as --config'],
  ['ASSAY_DATA', 'the directory of the embedded store, as --data'],
  ['ASSAY_HOST', 'the address to listen on, as --host'],
  ['ASSAY_WORKERS', 'the number of processes that share the port, as --workers'],
  ['PORT', 'the port to listen on, as --port'],
  ['ASSAY_STORE', 'the URL of PostgreSQL, instead of `store` in the configuration'],
  ['NODE_EXTRA_CA_CERTS', 'a file of additional trusted roots'],
  ['NO_COLOR, FORCE_COLOR', 'whether reports have colour'],
  ['COLUMNS', 'the width of reports'],
]

/** The page as text for `man`. */
export function manualPage(program: DescribedCommand, date: Date): string {
  const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }).format(date)
  return `${[
    `.Dd ${day}`,
    '.Dt ASSAY 1',
    '.Os',
    '.Sh NAME',
    '.Nm assay',
    '.Nd check domain names, IP addresses and links for threats',
    '.Sh SYNOPSIS',
    ...program.commands.flatMap(synopsis),
    '.Sh DESCRIPTION',
    ...text(program.description),
    '.Pp',
    'Without a command on a terminal, it says what to do first.',
    'The options of the program itself:',
    ...optionList(program.options),
    '.Sh COMMANDS',
    ...program.commands.flatMap(section),
    '.Sh ENVIRONMENT',
    ...list(
      VARIABLES.map(([name, meaning]) => [
        name
          .split(', ')
          .map(one => `Ev ${one}`)
          .join(' , '),
        meaning,
      ]),
    ),
    '.Sh EXIT STATUS',
    ...list(EXIT_MEANINGS.map(([code, meaning]) => [`Sy ${code.replace(', ', ' , ')}`, meaning])),
    '.Sh SEE ALSO',
    'The files in',
    '.Pa docs',
    'of the package.',
  ].join('\n')}\n`
}

/** How the command is called; a line for each command below it. */
function synopsis(command: DescribedCommand): string[] {
  const below = command.commands.flatMap(synopsis)
  const isGroup = below.length > 0 && command.options.length === 1
  const operands = command.arguments.map(
    ({ name, isRequired, isVariadic }) => `.${isRequired ? '' : 'Op '}Ar ${name}${isVariadic ? ' ...' : ''}`,
  )
  const own = ['.Nm', `.Cm ${command.path.join(' ')}`, '.Op Ar options', ...operands]
  return isGroup ? below : [...own, ...below]
}

function section(command: DescribedCommand): string[] {
  return [
    `.Ss ${command.path.join(' ')}`,
    ...text(sentence(command.description)),
    ...argumentList(command.arguments),
    ...optionList(command.options),
    ...notes(command.notes),
    ...command.commands.flatMap(section),
  ]
}

const argumentList = (all: readonly DescribedArgument[]): string[] =>
  list(all.filter(({ description }) => description !== '').map(({ name, description }) => [`Ar ${name}`, description]))

const optionList = (options: readonly DescribedOption[]): string[] =>
  list(
    options.map(({ short, long, value, isOptional, description, choices }) => {
      const flags = short === null ? `Fl ${long.slice(1)}` : `Fl ${short.slice(1)} , ${long.slice(1)}`
      const operand = value === null ? '' : isOptional ? ` Op Ar ${value}` : ` Ar ${value}`
      return [flags + operand, description + (choices.length > 0 ? ` (${choices.join(', ')})` : '')]
    }),
  )

const list = (items: readonly (readonly [tag: string, meaning: string])[]): string[] =>
  items.length === 0
    ? []
    : ['.Bl -tag -width Ds', ...items.flatMap(([tag, meaning]) => [`.It ${tag}`, ...text(sentence(meaning))]), '.El']

/** What help ends with: prose, and indented lines that stay as they are. */
const notes = (help: string): string[] =>
  help
    .replaceAll(`${invocation()} `, 'assay ')
    .split('\n\n')
    .flatMap(part => {
      if (part === '') return []
      if (/^ {2}/m.test(part)) return ['.Bd -literal', ...part.split('\n').map(escapedLine), '.Ed']
      return ['.Pp', ...text(part.replaceAll('\n', ' '))]
    })

function sentence(words: string): string {
  const end = /[.?]$/.test(words) ? '' : '.'
  return words.charAt(0).toUpperCase() + words.slice(1) + end
}

/** Columns of the source, which `mandoc -T lint` wants below 80. */
const WIDTH = 76

const text = (words: string): string[] =>
  words
    .split(/(?<=\.) /)
    .flatMap(line => wrap(line, WIDTH))
    .map(escapedLine)

/** A line that begins with a full stop or an apostrophe would be a request. */
const escapedLine = (line: string): string =>
  line
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replace(/^(?=[.'])/, String.raw`\&`)

// The signals of rendered: what only a browser sees. What a page deceives with is told by content_analysis, which reads the page after
// scripts like any other.
import { type Evidence, identify, type SignalDefinition, type SignalFound } from '../../src/engine/plugin.ts'

type Rendered = Evidence['rendered']

export const signals = {
  copies_command: {
    weight: 40,
    group: 'content',
    severity: 'high',
    threat_types: ['malware'],
    title: 'Writes a command to the clipboard',
    advice: 'If it is yours, remove the script and find out how it got there.',
    warning: 'Do not paste what it copied.',
  },
  shows_browsers_another_page: {
    weight: 20,
    group: 'content',
    severity: 'high',
    title: 'Shows a browser a different page than this service',
    advice:
      'If it is yours, look for code that answers visitors differently: intruders hide their pages from scanners.',
    warning: 'Do not trust what a scanner says about it.',
  },
  leaves_by_script: {
    weight: 10,
    group: 'content',
    severity: 'medium',
    title: 'A script leads to another site',
    advice: 'If it is yours, redirect by HTTP, and check that the script is yours.',
  },
  form_after_scripts: {
    weight: 0,
    group: 'content',
    severity: 'info',
    title: 'Asks for a password only after scripts ran',
    advice: null,
  },
  written_by_scripts: {
    weight: 0,
    group: 'content',
    severity: 'info',
    title: 'Page is written by scripts',
    advice: null,
  },
} as const satisfies Readonly<Record<string, SignalDefinition>>

type SignalId = keyof typeof signals
type RenderedSignal = SignalFound<SignalId>

/** Programs that a command for a terminal or the Run dialog begins with, and what such lures make them do. */
const COMMAND =
  /(?:^|[\s"'&|;(])(?:powershell|pwsh|cmd(?:\.exe)?\s{1,9}\/[ck]|mshta|msiexec|rundll32|regsvr32|wscript|cscript|certutil|bitsadmin|curl|wget|bash|sh\s{1,9}-c|osascript|iex|iwr)\b/i
/** What makes it more than the name of a program: an address, an option, a pipe or encoded text. */
const DOES = /https?:|\s-{1,2}[a-z]|\||[\w+/=]{40}/i

/** Words that a page must have to be compared. */
const COMPARED_WORDS = 50
/** Pages of one site, of two languages say, have more in common. */
const UNLIKE = 0.1
/** A page that a script writes shows fewer words before. */
const SHELL_WORDS = 20
const TEXT = 200

export function findSignals(rendered: Rendered): RenderedSignal[] {
  return [
    copiesCommand(rendered),
    anotherPage(rendered),
    leaves(rendered),
    lateForm(rendered),
    writtenByScript(rendered),
  ].filter(value => value !== null)
}

function copiesCommand({ copied }: Rendered): RenderedSignal | null {
  const command = copied.find(text => COMMAND.test(text) && DOES.test(text))
  if (command === undefined) return null
  const excerpt = command.slice(0, TEXT)
  return { id: 'copies_command', detail: `It copies: ${excerpt}`, evidence: { command: excerpt } }
}

const ownerAt = (url: string): string | null => (URL.canParse(url) ? identify(new URL(url).hostname).owner : null)

/** Where a redirect of HTTP led the browser alone, or where what was served needs no script and has other words. */
function anotherPage({
  navigations,
  served_url,
  served,
  drawn,
  alike,
  served_scripts,
}: Rendered): RenderedSignal | null {
  const id = 'shows_browsers_another_page'
  const redirect = navigations.findLast(({ by }) => by === 'redirect')
  const isAlone = navigations.every(({ by }) => by === 'visit' || by === 'redirect')
  if (redirect && isAlone && ownerAt(redirect.url) !== ownerAt(served_url)) {
    const host = new URL(redirect.url).hostname
    return { id, detail: `A browser is redirected to ${host}; this service is not.`, evidence: { host } }
  }
  const isWhole = served_scripts === 0 && served.words >= COMPARED_WORDS && drawn.words >= COMPARED_WORDS
  if (!isWhole || !isAlone || redirect || alike === null || alike > UNLIKE) return null
  const percent = Math.round(alike * 100)
  return { id, detail: `${percent} % of the words are the same, and no script changed them.`, evidence: { alike } }
}

function leaves({ navigations }: Rendered): RenderedSignal | null {
  for (const [at, { url, by }] of navigations.entries()) {
    const from = navigations[at - 1]
    if (by !== 'script' || from === undefined || ownerAt(from.url) === ownerAt(url)) continue
    const to = new URL(url).hostname
    return { id: 'leaves_by_script', detail: `A script leads to ${to}.`, evidence: { host: to } }
  }
  return null
}

const lateForm = ({ served, drawn }: Rendered): RenderedSignal | null =>
  drawn.passwords > 0 && served.passwords === 0 ? { id: 'form_after_scripts' } : null

function writtenByScript({ served, drawn }: Rendered): RenderedSignal | null {
  const isShell = served.words < SHELL_WORDS && served.fields === 0
  const shows = drawn.words >= SHELL_WORDS || drawn.fields > 0
  return isShell && shows
    ? { id: 'written_by_scripts', detail: `${served.words} words were served, and ${drawn.words} are shown.` }
    : null
}

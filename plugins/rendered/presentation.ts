// How people see the section.
import {
  counted,
  type Fact,
  labelsOf,
  NONE,
  type Presentation,
  quote,
  quoteOr,
  size,
  type Table,
  words,
} from '../../src/engine/plugin.ts'
import { Section } from './section.ts'

const label = labelsOf(Section)

const WAYS: Readonly<Record<Section['navigations'][number]['by'], string>> = {
  visit: 'visited',
  redirect: 'HTTP redirect',
  script: 'script',
  refresh: 'refresh',
  form: 'form sent by a script',
}

const orNone = (all: readonly string[]) => (all.length === 0 ? NONE : all)

function tablesOf({ navigations, hosts, refused }: Section): readonly Table[] {
  return [
    ...(navigations.length > 1
      ? [
          {
            title: 'Where it led',
            columns: ['By', 'URL'],
            rows: navigations.map(({ url, by }) => [WAYS[by], quote(url)]),
          },
        ]
      : []),
    {
      title: 'Loaded from',
      columns: ['Host', 'Requests', 'Size', 'Types'],
      rows: hosts.map(({ host, requests, octets, types }) => [
        quote(host),
        requests,
        size(octets),
        Object.entries(types).map(([type, count]) => `${count} × ${words(type)}`),
      ]),
    },
    ...(refused.length > 0
      ? [
          {
            title: label.refused,
            columns: ['Host', 'Reason'],
            rows: refused.map(({ host, reason }) => [quote(host), words(reason)]),
          },
        ]
      : []),
  ]
}

export const presentation: Presentation<Section> = {
  title: 'In a browser',
  looks: 'what a browser shows after the scripts of the page have run',
  order: 22,
  informs: true,
  describe(section) {
    const { url, title, drawn, served, requests, hosts, received, console_errors, downloads, dialogs, copied } = section
    const shows = `${counted(drawn.words, 'word')}, ${counted(drawn.fields, 'field')}, ${counted(drawn.buttons, 'button')}`
    const before = `${counted(served.words, 'word')}, ${counted(served.fields, 'field')}, ${counted(served.buttons, 'button')}`
    const rest: readonly Fact[] = [
      [label.console_errors, console_errors],
      [label.downloads, orNone(downloads)],
      [label.dialogs, orNone(dialogs)],
      [label.copied, orNone(copied)],
    ]
    return {
      summary: [
        `The browser made ${counted(requests, 'request')} to ${counted(hosts.length, 'host')} and shows ${shows}.`,
        ...(section.settled ? [] : [' The page was still loading when it was read.']),
      ],
      facts: [
        [label.url, quote(url)],
        [label.title, quoteOr(title)],
        ['Shows', shows],
        ['Shows before scripts', before],
        [label.received, size(received)],
        ...rest,
      ],
      tables: tablesOf(section),
    }
  },
}

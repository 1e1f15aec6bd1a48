// The sites of the lists that name a target, where their operators say why and how an entry is removed.
import type { Source } from '../../src/engine/plugin.ts'

/** By the beginning of the list's name: operators have several lists. */
const sites = [
  ['Spamhaus', 'https://check.spamhaus.org/'],
  ['SURBL', 'https://surbl.org/surbl-analysis'],
  ['URIBL', 'https://uribl.com/'],
  ['NordSpam', 'https://www.nordspam.com/'],
  ['Spam Eating Monkey', 'https://spameatingmonkey.com/'],
  ['abuse.ro', 'https://abuse.ro/'],
  ['SpamCop', 'https://www.spamcop.net/bl.shtml'],
  ['Passive Spam Block List', 'https://psbl.org/'],
  ['DroneBL', 'https://dronebl.org/'],
  ['blocklist.de', 'https://www.blocklist.de/'],
  ['Barracuda', 'https://www.barracudacentral.org/'],
  ['Mailspike', 'https://mailspike.org/'],
  ['UCEPROTECT', 'https://www.uceprotect.net/'],
  ['0Spam', 'https://0spam.org/'],
  ['Phishing.Database', 'https://github.com/Phishing-Database/Phishing.Database'],
  ['Emerging Threats', 'https://rules.emergingthreats.net/'],
  ['Tor exits', 'https://check.torproject.org/'],
  ['Disposable e-mail domains', 'https://github.com/disposable-email-domains/disposable-email-domains'],
  ['URLhaus', 'https://urlhaus.abuse.ch/'],
  ['ThreatFox', 'https://threatfox.abuse.ch/'],
  ['Feodo Tracker', 'https://feodotracker.abuse.ch/'],
  ['OpenPhish', 'https://openphish.com/'],
  ['PhishTank', 'https://phishtank.org/'],
  ['PhishStats', 'https://phishstats.info/'],
  ['CERT Polska', 'https://cert.pl/en/warning-list/'],
  ['FireHOL', 'https://iplists.firehol.org/'],
  ['CINS Army', 'https://cinsarmy.com/'],
] as const

interface Listed {
  readonly name: string
  readonly listed: boolean | null
}

/** Sources in a report that a section may have for its lists. */
const MOST = 6

/** One for each operator whose list names the target. */
export function listSources(lists: readonly Listed[]): readonly Source[] {
  const listed = lists.filter(one => one.listed === true)
  return sites
    .filter(([operator]) => listed.some(({ name }) => name.startsWith(operator)))
    .slice(0, MOST)
    .map(([operator, url]) => ({ label: operator, url }))
}

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findEmails } from '../../plugins/content_analysis/emails.ts'
import { findPhones } from '../../plugins/content_analysis/phones.ts'
import { findProfiles, networksOf } from '../../plugins/content_analysis/social.ts'
import { linksTo } from './content_analysis_page.ts'

/** What a CDN's e-mail protection writes for an address, as its script reads it back. */
const protect = (address: string, key = 0x5a): string =>
  [key, ...Buffer.from(address).map(octet => octet ^ key)].map(octet => octet.toString(16).padStart(2, '0')).join('')

describe('contact addresses', () => {
  const inText: [says: string, text: string, emails: string[]][] = [
    ['are found in a sentence', 'Write to info@example.com, or call.', ['info@example.com']],
    ['end before a full stop', 'Mail sales@example.co.uk.', ['sales@example.co.uk']],
    ['keep tags and dots', 'jane.doe+web@mail.example.com', ['jane.doe+web@mail.example.com']],
    [
      'are found between brackets and quotation marks',
      '<a@example.com> "b@example.com" \'c@example.com\'',
      ['a@example.com', 'b@example.com', 'c@example.com'],
    ],
    ['have their domain in lower case', 'Info@EXAMPLE.com', ['Info@example.com']],
    ['are told once, however they are written', 'a@example.com A@example.com a@EXAMPLE.COM', ['a@example.com']],
    ['have their domain in A-labels', 'post@bücher.de', ['post@xn--bcher-kva.de']],
    ['are read through [at] and [dot]', 'info [at] example [dot] com', ['info@example.com']],
    ['are read through (at) without spaces', 'info(at)example.com', ['info@example.com']],
    ['are read through (dot) alone', 'info@example(dot)com', ['info@example.com']],
    ['are read through {@} and [.]', 'info {@} example [.] com', ['info@example.com']],
    ['are read through capitals', 'INFO [AT] EXAMPLE [DOT] COM', ['INFO@example.com']],
    ['are read through (Punkt)', 'info(at)example(Punkt)de', ['info@example.de']],
    ['are not pictures for dense screens', 'logo@2x.png icon@3x.zip', []],
    ['are not versions of packages', 'react@18.2.0 lodash@4.17.21.min.js', []],
    ['are not names without a public domain', 'root@localhost admin@server.lan', []],
    ['are not accounts of the fediverse', 'Follow @jane@mastodon.social', []],
    ['are not user names in addresses of pages', 'https://medium.com/@jane.com/post', []],
    ['are not two at-signs in a row', 'a@b@example.com', []],
    ['are not a local part with two dots in a row', 'a..b@example.com', []],
    ['are not a bare suffix', 'info@co.uk', []],
    ['are not remotes of Git', 'git clone git@github.com:house/tool.git', []],
    ['are not remotes of Git with another user', 'git clone deploy@code.example.com:house/tool.git.', []],
    ['are not remote folders', 'scp -r dist/ deploy@example.com:/var/www and joe@example.com:~/in', []],
    ['are not remote folders below the home', 'user@example.com:dir/ joe@example.com:./x jo@example.com:../y', []],
    ['are not remote files', 'rsync -avz build/ www@example.com:site/index.html', []],
    ['are not users of JDBC', 'jdbc:oracle:thin:scott@db.example.com', []],
    ['are not users of JDBC with a password', 'jdbc:oracle:thin:scott/tiger@db.example.com:1521:orcl', []],
    ['are not users of JDBC with an authority', 'jdbc:mysql://root:secret@db.example.com:3306/shop', []],
    ['are not users of a database', 'scott@db.example.com:1521:orcl sa@db.example.com:1433', []],
    ['are not users of SSH', 'Run ssh deploy@example.com, then `ssh -p 22 -i key.pem joe@example.com`.', []],
    [
      'are not users of commands on SSH',
      '$ scp a.tar.gz joe@example.com: && sftp joe@example.org\nmosh jo@example.net',
      [],
    ],
    ['are not addresses of SIP or XMPP', 'sip:jane@example.com xmpp:joe@example.com acct:jo@example.com', []],
    ['do not begin with an escape', '%20info@example.com %22sales@example.com x%3Da@example.com', []],
    ['do not begin with a dot', '.info@example.com ..sales@example.com ...jane@example.com', []],
    ['are not defanged', 'bad@evil[.]com bad[@]evil[.]com bad[at]evil[.]com bad@evil(.)com', []],
    ['are not defanged in a half or before a second suffix', 'bad@evil.co[.]uk bad@evil.co[.uk', []],
    ['are not defanged beside a URL that is', 'hxxp://evil.example sends from bad[@]evil.com and bad(at)evil.com', []],
    ['are told as they are in a text about threats', 'evil[.]com: write to soc@example.com', ['soc@example.com']],
    ['are told whole where the second dot is a word', 'info@example.co(dot)uk', ['info@example.co.uk']],
    ['are read through (@) before a plain domain', 'info(@)example.com', ['info@example.com']],
    ['may follow the word for a command', 'For SSH or ssh access, write to ssh@example.com', ['ssh@example.com']],
    ['may follow a name that ends as a command does', 'The crash joe@example.com saw', ['joe@example.com']],
    [
      'may stand before a time, a number or a word',
      'a@example.com:10:30 b@example.com:030/123 c@example.com:Tel',
      ['a@example.com', 'b@example.com', 'c@example.com'],
    ],
    ['may follow a hyphen or a quotation mark', "-a@example.com 'b@example.com", ['a@example.com', 'b@example.com']],
    ['are not parts of a path', 'https://example.com/people/jane@example.com www.example.com/jane@example.com', []],
    ['are not parameters of a URL', 'See https://example.com/unsubscribe?to=jane@example.com&x=1', []],
    ['are not users of a URL', 'ssh://jane@example.com/house and sftp://joe@example.com', []],
    [
      'may follow a URL',
      'https://example.com, a@example.com (https://example.com) b@example.com',
      ['a@example.com', 'b@example.com'],
    ],
    ['may stand before a path', 'a@example.com:8 to 12, b@example.com: see /x.git', ['a@example.com', 'b@example.com']],
    ['are not credentials in a URL', 'https://user:secret@example.com/ and ftp://u:p@example.org', []],
    ['may follow a colon', 'E-Mail:info@example.com', ['info@example.com']],
    ['are not an IP address', 'root@192.0.2.1', []],
    [
      'have at most 64 octets before the sign',
      `${'x'.repeat(65)}@example.com ${'y'.repeat(64)}@example.com`,
      [`${'y'.repeat(64)}@example.com`],
    ],
    ['have at most 254 octets', `a@${'b'.repeat(60)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${'e'.repeat(63)}.com`, []],
  ]
  for (const [says, text, emails] of inText) {
    it(says, () => assert.deepEqual(findEmails({ anchors: [], text, cloaked_emails: [], json_ld: [] }), emails))
  }

  it('are found in structured data, which may be cut', () => {
    const json_ld = [
      '{"@type":"Organization","email":"mailto:info@example.com?subject=x","contactPoint":{"email" : ["a\\u0040example.com"]}}',
      '{"email":"b@example.com","sameAs":["https://git.example/c@example.com"],"email":"cut@exam',
      '{"email":{"@value":"d@example.com"},"email":"no address","email":"e@localhost"}',
    ]
    assert.deepEqual(findEmails({ anchors: [], text: '', cloaked_emails: [], json_ld }), [
      'info@example.com',
      'a@example.com',
      'b@example.com',
    ])
  })

  const inLinks: [says: string, href: string, emails: string[]][] = [
    ['are found in mailto links', 'mailto:info@example.com', ['info@example.com']],
    [
      'are taken without subject and copies',
      'MAILTO:info@example.com?subject=Hi&cc=x@example.com',
      ['info@example.com'],
    ],
    [
      'are several when the link has several',
      'mailto:a@example.com,%20b@example.com',
      ['a@example.com', 'b@example.com'],
    ],
    ['are found behind slashes that do not belong there', 'mailto://info@example.com', ['info@example.com']],
    ['are percent-decoded', 'mailto:o%27hara%40example.com', ["o'hara@example.com"]],
    ['may have any domain in a link that says so', 'mailto:it@intranet.lan', ['it@intranet.lan']],
    ['are not in a button that shares', 'mailto:?subject=Look&body=https://example.com', []],
    ['survive broken escapes', 'mailto:%E0%A4%A@example.com', ['%E0%A4%A@example.com']],
    ['are not made of control characters', 'mailto:a%00b@example.com', []],
    [
      'are decoded from a CDN’s protection',
      `/cdn-cgi/l/email-protection#${protect('jane@example.com')}`,
      ['jane@example.com'],
    ],
    [
      'are decoded where the link is absolute',
      `https://example.com/cdn-cgi/l/email-protection#${protect('jane@example.com', 0xff)}`,
      ['jane@example.com'],
    ],
    [
      'are decoded without the subject',
      `/cdn-cgi/l/email-protection#${protect('jane@example.com?subject=Hi')}`,
      ['jane@example.com'],
    ],
    ['are not what is no hexadecimal', '/cdn-cgi/l/email-protection#zz00', []],
    ['are not decoded from half an octet', '/cdn-cgi/l/email-protection#5a3', []],
    ['are not decoded from elsewhere', `/other#${protect('jane@example.com')}`, []],
  ]
  for (const [says, href, emails] of inLinks) {
    it(says, () =>
      assert.deepEqual(findEmails({ anchors: linksTo(href), text: '', cloaked_emails: [], json_ld: [] }), emails),
    )
  }

  it('are decoded from the attribute that a CDN leaves', () => {
    const page = {
      anchors: [],
      text: '[email protected]',
      cloaked_emails: [protect('jane@example.com'), 'zz', ''],
      json_ld: [],
    }
    assert.deepEqual(findEmails(page), ['jane@example.com'])
  })

  it('come from links first, then from the text', () => {
    assert.deepEqual(
      findEmails({
        anchors: linksTo('mailto:link@example.com'),
        text: 'text@example.com',
        cloaked_emails: [],
        json_ld: [],
      }),
      ['link@example.com', 'text@example.com'],
    )
  })

  it('are fifty at most', () => {
    const text = Array.from({ length: 100 }, (_, i) => `person${i}@example.com`).join(' ')
    const emails = findEmails({ anchors: [], text, cloaked_emails: [], json_ld: [] })
    assert.equal(emails.length, 50)
    assert.equal(emails.at(-1), 'person49@example.com')
  })
})

describe('telephone numbers', () => {
  const inText: [says: string, text: string, phones: string[]][] = [
    ['are found in international form', 'Tel. +49 30 901820', ['+4930901820']],
    ['lose their separators', 'Call +1 (415) 555-2671 now', ['+14155552671']],
    ['lose the zero for callers from within', '+44 (0)20 7946 0958', ['+442079460958']],
    ['are read through dots and slashes', '+41.44/668.18.00', ['+41446681800']],
    ['are told once', '+49 30 901820, +4930901820', ['+4930901820']],
    ['need a plus sign', '030 901820 or 0049 30 901820', []],
    ['need eight digits', '+49 1234', []],
    ['are not longer than fifteen digits', '+49 30 9018 2012 3456 7890', []],
    ['are not quantities', '+50 000 000 users', []],
    ['have eleven digits in North America', '+1 500 users, +100 200 300', []],
    ['are not part of a word', 'C+49309018200', []],
    ['are not sums', '1+49309018200', []],
  ]
  for (const [says, text, phones] of inText) {
    it(says, () => assert.deepEqual(findPhones({ anchors: [], text }), phones))
  }

  const inLinks: [says: string, href: string, phones: string[]][] = [
    ['are found in tel links', 'tel:+49-30-901820', ['+4930901820']],
    ['lose parameters', 'tel:+14155552671;ext=12', ['+14155552671']],
    ['keep their own digits when no country is given', 'TEL:0800%20123456', ['0800123456']],
    ['are read through an escaped plus sign', 'tel:%2B49 30 901820', ['+4930901820']],
    ['are not words', 'tel:call-us', []],
    ['are not other schemes', 'sms:+4930901820', []],
  ]
  for (const [says, href, phones] of inLinks) {
    it(says, () => assert.deepEqual(findPhones({ anchors: linksTo(href), text: '' }), phones))
  }
})

describe('social links', () => {
  const cases: [says: string, href: string, profile: [network: string, url: string] | null][] = [
    ['lead to a page', 'https://www.facebook.com/acme', ['facebook', 'https://www.facebook.com/acme']],
    [
      'are https without a query and a final slash',
      'http://facebook.com/acme/?ref=site#x',
      ['facebook', 'https://facebook.com/acme'],
    ],
    [
      'keep the query that names the profile',
      'https://facebook.com/profile.php?id=1000123&x=1',
      ['facebook', 'https://facebook.com/profile.php?id=1000123'],
    ],
    ['may be in another language', 'https://de-de.facebook.com/acme', ['facebook', 'https://de-de.facebook.com/acme']],
    [
      'stand for their sub-pages',
      'https://uk.linkedin.com/company/acme/about/',
      ['linkedin', 'https://uk.linkedin.com/company/acme'],
    ],
    ['have the old name of a network too', 'https://twitter.com/acme', ['x', 'https://twitter.com/acme']],
    [
      'have a sign before the name',
      'https://www.youtube.com/@acme/videos',
      ['youtube', 'https://www.youtube.com/@acme'],
    ],
    ['are channels', 'https://youtube.com/channel/UCabc_-123', ['youtube', 'https://youtube.com/channel/UCabc_-123']],
    ['are hosts where every user has one', 'https://acme.tumblr.com/post/1', ['tumblr', 'https://acme.tumblr.com']],
    ['are numbers to chat with', 'https://wa.me/4930901820?text=Hi', ['whatsapp', 'https://wa.me/4930901820']],
    [
      'are numbers in a query',
      'https://api.whatsapp.com/send?phone=4930901820&text=Hi',
      ['whatsapp', 'https://api.whatsapp.com/send?phone=4930901820'],
    ],
    [
      'are subreddits of any name',
      'https://old.reddit.com/r/videos/top',
      ['reddit', 'https://old.reddit.com/r/videos'],
    ],
    [
      'are names with escapes',
      'https://www.linkedin.com/in/j%C3%BCrgen',
      ['linkedin', 'https://www.linkedin.com/in/j%C3%BCrgen'],
    ],
    ['are not the network itself', 'https://www.instagram.com/', null],
    ['are not buttons that share', 'https://www.facebook.com/sharer/sharer.php?u=https://example.com', null],
    ['are not the one-segment button', 'https://www.facebook.com/sharer.php?u=https://example.com', null],
    ['are not intents', 'https://twitter.com/intent/tweet?text=Hi', null],
    ['are not the share page of a network', 'https://x.com/share?url=https://example.com', null],
    ['are not share links of business networks', 'https://www.linkedin.com/shareArticle?url=x', null],
    ['are not messages to share', 'https://wa.me/?text=https://example.com', null],
    ['are not posts', 'https://www.instagram.com/p/Cabc123/', null],
    ['are not single statuses', 'https://x.com/acme/status/123', null],
    ['are not videos', 'https://www.youtube.com/watch?v=abc', null],
    ['are not videos that are numbers', 'https://vimeo.com/76979871', null],
    [
      'are people whose name is a number',
      'https://www.facebook.com/100064',
      ['facebook', 'https://www.facebook.com/100064'],
    ],
    ['are not repositories', 'https://github.com/acme/tool', null],
    ['are not a network’s own pages', 'https://github.com/pricing', null],
    ['are not at hosts for developers', 'https://developers.facebook.com/docs', null],
    ['are not at look-alike hosts', 'https://facebook.com.evil.example/acme', null],
    ['are not at hosts that end alike', 'https://notfacebook.com/acme', null],
    ['are not behind a user name', 'https://facebook.com@evil.example/acme', null],
    ['are not scripts', 'javascript:location="https://facebook.com/acme"', null],
    ['are not data', 'data:text/html,https://facebook.com/acme', null],
    ['are not on other ports', 'https://facebook.com:8443/acme', null],
    ['are not enormous', `https://facebook.com/${'a'.repeat(65_536)}`, null],
  ]
  for (const [says, href, profile] of cases) {
    it(says, () => {
      const expected = profile ? [{ network: profile[0], url: profile[1] }] : []
      assert.deepEqual(findProfiles({ anchors: linksTo(href) }), expected)
    })
  }

  it('are listed once, with and without www', () => {
    const anchors = linksTo('https://www.x.com/Acme', 'https://x.com/acme/', 'http://x.com/acme?lang=de')
    assert.deepEqual(findProfiles({ anchors }), [{ network: 'x', url: 'https://www.x.com/Acme' }])
  })

  it('are of the fediverse when the link says that both are the same person', () => {
    const account = { href: 'https://mastodon.social/@acme', text: '' }
    const found = findProfiles({ anchors: [{ ...account, rel: ['me'] }] })
    assert.deepEqual(found, [{ network: 'fediverse', url: 'https://mastodon.social/@acme' }])
    assert.deepEqual(findProfiles({ anchors: [{ ...account, rel: [] }] }), [])
  })

  it('are fifty at most', () => {
    const anchors = linksTo(...Array.from({ length: 10_000 }, (_, i) => `https://x.com/name${i}`))
    assert.equal(findProfiles({ anchors }).length, 50)
  })

  it('name each network once', () => {
    const profiles = findProfiles({ anchors: linksTo('https://x.com/a', 'https://x.com/b', 'https://tiktok.com/@a') })
    assert.deepEqual(networksOf(profiles), ['x', 'tiktok'])
  })
})

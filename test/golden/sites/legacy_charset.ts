// Pages in the encodings that their countries used before UTF-8: one says so in a meta element, one in its media type.
import { site } from '../../../src/testing/demo/pages.ts'
import { encode } from '../encode.ts'
import { COOKIE_VALUE, type GoldenSite, MARKUP } from '../site.ts'

const cyrillic = `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<html><head>
<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">
<title>Библиотека имени Чехова — часы работы</title>
<meta name="description" content="Районная библиотека: абонемент, читальный зал, кружки для детей и встречи с писателями по субботам.">
</head><body bgcolor="#ffffff" data-kept="${MARKUP}">
<h1>Библиотека имени Чехова</h1>
<p>Мы открыты каждый день, кроме понедельника, с десяти до семи. Читальный зал находится на втором этаже.</p>
<p>Телефон: <a href="tel:+78005553535">8 (800) 555-35-35</a>, почта: library@example.org</p>
<p><a href="https://vk.com/chekhov_library">ВКонтакте</a></p>
</body></html>`

const japanese = `<html lang="ja"><head>
<title>山田製作所｜精密部品の加工</title>
<meta name="description" content="大阪の町工場です。金属とプラスチックの精密部品を一個から製作いたします。">
</head><body data-kept="${MARKUP}">
<h1>山田製作所</h1>
<p>創業は昭和三十八年。金属とプラスチックの部品を、一個から量産まで、図面のとおりに仕上げてお届けします。</p>
<p>お問い合わせ：<a href="mailto:info@japanese.lab">info@japanese.lab</a>　電話：06-6123-4567</p>
</body></html>`

export const legacyCyrillic: GoldenSite = {
  kind: 'legacy_cyrillic',
  asked: { domain: 'cyrillic.lab' },
  age_days: 6_900,
  hosts: [
    {
      name: 'cyrillic.lab',
      addresses: ['193.0.14.111'],
      records: { MX: [{ preference: 10, exchange: 'mail.cyrillic.lab' }], TXT: ['v=spf1 +mx ?all'] },
      zones: { 'mail.cyrillic.lab': { A: ['193.0.14.112'] } },
      http: site({
        '/': {
          headers: [
            ['Content-Type', 'text/html'],
            ['Server', 'Apache/2.2.22 (FreeBSD) PHP/5.3.10'],
            ['Set-Cookie', `PHPSESSID=${COOKIE_VALUE}; path=/`],
          ],
          body: encode('windows-1251', cyrillic),
        },
      }),
    },
  ],
}

export const legacyJapanese: GoldenSite = {
  kind: 'legacy_japanese',
  asked: { domain: 'japanese.lab' },
  age_days: 8_000,
  hosts: [
    {
      name: 'japanese.lab',
      addresses: ['193.0.14.113'],
      https: site({
        '/': {
          headers: [
            ['Content-Type', 'text/html; charset=Shift_JIS'],
            ['Server', 'Apache'],
          ],
          body: encode('shift_jis', japanese),
        },
      }),
    },
  ],
}

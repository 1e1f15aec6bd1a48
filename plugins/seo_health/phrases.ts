// Generic link texts and titles.

/** Lower case with folded white space, as the phrases are written. */
export const fold = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase()

const phrasesOf = (list: string): ReadonlySet<string> => new Set(list.split(',').map(text => text.trim()))

/** Link texts, in lower case, that say nothing about the destination. */
export const genericTexts = phrasesOf(
  `click here, click this, here, go, this, start, right here, link, more, read more, learn more, see more, more info,
  details, this link, this page, continue, hier, hier klicken, klicken sie hier, klick hier, mehr, mehr erfahren,
  weiterlesen, mehr lesen, weiter, details ansehen, cliquez ici, ici, lire la suite, en savoir plus, plus, voir plus,
  haga clic aquí, haz clic aquí, aquí, leer más, más información, más, ver más, clicca qui, qui, leggi tutto,
  scopri di più, leggi di più, continua, clique aqui, aqui, leia mais, saiba mais, ver mais, klik hier, lees meer,
  meer, meer informatie, kliknij tutaj, tutaj, więcej, czytaj więcej, klicka här, här, läs mer, mer, klik her, her,
  læs mere, mere, les mer, подробнее, далее, читать далее, здесь, нажмите здесь, tıklayın, buraya tıklayın, devamı,
  こちら, 詳細, もっと見る, 点击这里, 更多, 阅读更多, 자세히 보기, 더 보기`,
)

/** Default titles of tools and templates, in lower case. */
export const placeholderTitles = phrasesOf(
  `home, homepage, home page, index, untitled, untitled document, document, title, new page, page, website, my site,
  my website, my blog, welcome, test, startseite, accueil, inicio, react app, vite app, vite + react, vite + vue,
  vite + react + ts, create next app, next.js app, nuxt, nuxt app, angular, svelte app, gatsby, your site title,
  just another wordpress site, site title, 新しいページ, 无标题文档`,
)

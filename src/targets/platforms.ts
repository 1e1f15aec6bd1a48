// Hosting, site building and dynamic DNS platforms that are missing from the PSL. Their tenants choose a name below the
// platform's domain, so the domain does not tell who is behind the name.

const platforms = new Set(
  `
  000webhostapp.com 16mb.com 25u.com 3322.org 42web.io 4pu.com 5gbfree.com 890m.com airdns.org anondns.net app.link at.ua
  atwebpages.com b-cdn.net beget.tech bget.ru brizy.site byethost7.com c1.biz cabanova.com chickenkiller.com cloudwaysapps.com
  co.nf codesandbox.io contaboserver.net crabdance.com craftum.io creatorlink.net cz.cc ddns.info ddns.us dns04.com dns05.com
  dnset.com dvrlists.com dynamic-dns.net dynssl.com dynu.com easy.co edgeone.app epizy.com esy.es f3322.net f3322.org fartit.com
  filesusr.com flazio.com flywheelsites.com free.fr freeddns.com freedynamicdns.org fvds.ru glitch.me godaddysites.com
  great-site.net hol.es home.pl hostingerapp.com hostingersite.com ignorelist.com infinityfreeapp.com instanthq.com itemdb.com
  jetos.com jimdofree.com jumpingcrab.com kinsta.cloud kro.kr linkpc.net liveblog365.com localtunnel.me longmusic.com
  mefound.com mixh.jp mooo.com moonfruit.com mrbasic.com mrbonus.com my1.ru mybluehost.me mycpanel.rs myddns.com myddns.me
  myftpupload.com myportfolio.com myq-see.com mystrikingly.com mytemp.website n-e.kr nazwa.pl neocities.org netlify.com nip.io
  no-ip.com o-r.kr ocry.com odoo.com onedumb.com onmicrosoft.com onion.link otzo.com ourhobby.com p-e.kr page.link pe.hu
  portmap.host portmap.io preview-domain.com publicvm.com r-e.kr rf.gd run.place selcdn.ru serv00.net serveuser.com sg-host.com
  sharepoint.com sitey.me softether.net somee.com soup.io squarespace.com sslip.io strangled.net studio.site teachable.com
  temporary.site thinkific.com tilda.ws tmweb.ru tripod.com tumblr.com tw1.ru twilightparadox.com typeform.com ucoz.net
  ultimatefreehost.in umbler.net unaux.com us.to usrfiles.com viewdns.net vizvaz.com webador.com webcindario.com webhostbox.net
  webnode.com webs.com weebly.com wikaba.com wordpress.com work.gd wpengine.com x10.mx x24hr.com xsph.ru ydns.eu ygto.com
  yourtrap.com youdontcare.com zendesk.com zyns.com zzux.com zzz.com.ua
  `
    .trim()
    .split(/\s+/),
)

/** Blogger's domains, one under each of these suffixes. */
const bloggers = new Set(
  `
  ae al am ba be bg bj ca cf ch cl co.at co.id co.il co.ke com com.ar com.au com.br com.by com.co com.cy com.ee com.eg
  com.es com.mt com.ng com.tr com.uy co.nz co.uk co.za cv cz de dk fi fr gr hk hr hu ie in is it jp kr li lt lu md mk mr
  mx my nl no pe pt qa re ro rs ru se sg si sk sn td tw ug vn
  `
    .trim()
    .split(/\s+/)
    .map(suffix => `blogspot.${suffix}`),
)

/** Whether names below this registrable domain belong to tenants. */
export const isPlatform = (domain: string): boolean => platforms.has(domain) || bloggers.has(domain)

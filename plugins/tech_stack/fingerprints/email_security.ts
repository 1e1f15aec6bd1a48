// Mail filters.
import { mx, spf, technologies, txt } from '../patterns.ts'

export const email_security = technologies('email_security', [
  ['Barracuda Email Security', [mx('barracudanetworks.com'), spf('barracudanetworks.com')]],
  ['Cisco Secure Email', [mx('iphmx.com'), spf('iphmx.com')]],
  ['Cloudflare Email Routing', [mx('mx.cloudflare.net'), spf('_spf.mx.cloudflare.net')]],
  ['Forcepoint', [mx('mailcontrol.com'), spf('mailcontrol.com')]],
  ['Hornetsecurity', [mx('hornetsecurity.com'), mx('antispameurope.com'), spf('spf.hornetsecurity.com')]],
  ['Mimecast', [mx('mimecast.com'), spf('mimecast.com')]],
  ['MX Guarddog', [mx('mxguarddog.com')]],
  ['Proofpoint', [mx('pphosted.com'), mx('ppe-hosted.com'), spf('pphosted.com'), spf('ppe-hosted.com')]],
  ['Sophos Email', [mx('hydra.sophos.com'), txt('sophos-domain-verification=')]],
  ['SpamExperts', [mx('antispamcloud.com'), spf('spf.antispamcloud.com')]],
  ['Trellix Email Security', [mx('fireeyecloud.com')]],
  ['Trend Micro Email Security', [mx('tmes.trendmicro.com'), mx('tmes.trendmicro.eu'), spf('spf.tmes.trendmicro.com')]],
  ['Valimail', [spf('vali.email')]],
])

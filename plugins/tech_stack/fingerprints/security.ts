// Web application firewalls and bot protection.
import { cname, cookie, cookies, from, header, headerWith, ns, server, technologies } from '../patterns.ts'

export const security = technologies('security', [
  ['Akamai Bot Manager', [cookie('ak_bmsc'), cookie('bm_sz'), cookie('_abck')], ['Akamai']],
  ['AWS WAF', [cookie('aws-waf-token')], ['Amazon Web Services']],
  ['Barracuda WAF', [cookies('barra_counter_session'), cookies('BNI__BARRACUDA_LB_COOKIE')]],
  ['BitNinja', [header('server', 'BitNinja')]],
  ['Citrix NetScaler', [cookies('NSC_'), cookie('citrix_ns_id'), headerWith('via', 'NS-CACHE')]],
  ['Cloudflare Bot Management', [cookie('cf_clearance')], ['Cloudflare']],
  ['Comodo cWatch', [header('server', 'Protected by COMODO')]],
  ['DataDome', [header('x-datadome'), header('x-dd-b'), cookie('datadome'), from('js.datadome.co')]],
  [
    'F5 BIG-IP',
    [
      cookies('BIGipServer'),
      header('server', 'BigIP'),
      cookies('TS01', { confidence: 60 }),
      cookie('F5_ST'),
      cookie('LastMRH_Session'),
    ],
  ],
  ['Fortinet FortiWeb', [cookies('FORTIWAFSID'), cookies('cookiesession1', { confidence: 70 })]],
  ['HUMAN', [cookie('_px3'), cookie('_pxhd'), cookie('_pxvid')]],
  [
    'Imperva',
    [
      cookies('visid_incap_'),
      cookies('incap_ses_'),
      cookies('nlbi_'),
      header('x-iinfo'),
      headerWith('x-cdn', 'Imperva'),
      headerWith('x-cdn', 'Incapsula'),
      cname('incapdns.net'),
    ],
  ],
  ['Imunify360', server('imunify360-webshield')],
  ['Kasada', [header('x-kpsdk-ct'), cookies('KP_UIDz')]],
  ['Myra', [header('server', 'myracloud'), ns('myraservices.com')]],
  ['NAXSI', [header('x-data-origin', 'naxsi')], ['nginx']],
  ['Qrator', [header('server', 'QRATOR'), cookie('qrator_jsid'), cookie('qrator_jsr')]],
  ['Radware', [header('x-sl-compstate')]],
  ['Reblaze', [header('server', 'Reblaze'), cookie('rbzid')]],
  ['Sucuri', [...server('Sucuri'), header('x-sucuri-id'), header('x-sucuri-cache'), ns('sucuridns.com')]],
  ['Variti', [header('x-variti-ccr'), cookie('ipp_key')]],
  ['Wallarm', [header('server', 'nginx-wallarm')], ['nginx']],
])

// Software, mail and cloud services.
import { brand, everyday } from '../brand.ts'

export const technology = [
  brand(
    'Microsoft',
    'microsoft office365 microsoft365 onedrive sharepoint microsoftonline hotmail azureportal',
    `microsoft.com microsoftonline.com live.com office.com office365.com outlook.com hotmail.com sharepoint.com onedrive.com
    azure.com azure.net windows.net windows.com windowsupdate.com msn.com bing.com skype.com xbox.com microsoft365.com
    cloud.microsoft visualstudio.com microsoftstore.com microsoft.net office.net onmicrosoft.com
    azurewebsites.net microsoftstream.com microsoftedge.com msftauth.net msauth.net hotmail.co.uk hotmail.fr
     microsoftonline-p.com microsoftteams.com live.net office365.us`,
  ),
  everyday('Outlook', 'outlook', 'outlook.com office.com live.com office365.com'),
  everyday('Office', 'office', 'office.com microsoft.com office.net'),
  everyday('Windows', 'windows', 'windows.com microsoft.com'),
  brand(
    'Google',
    'google gmail googledrive googledocs googleplay',
    `google.com gmail.com youtube.com googlemail.com android.com withgoogle.com blogger.com blogspot.com goo.gl google.org
    google.net googleapis.com googleusercontent.com gstatic.com googlesource.com googleblog.com googlevideo.com
    googleadservices.com googlesyndication.com google-analytics.com googletagmanager.com googletagservices.com
    doubleclick.net ggpht.com googleweblight.com googlegroups.com google.tk google.ml google.ga google.cf google.cat
    google.ws google.cc google.su googlecode.com googleplex.com googlestore.com chromium.org google.dev g.co
    googleoptimize.com googleartproject.com googleearth.com googlesites.com googledrive.com googlepages.com`,
  ),
  brand('YouTube', 'youtube', 'youtube.com youtu.be youtube-nocookie.com ytimg.com youtubekids.com'),
  everyday(
    'Apple',
    'apple',
    'apple.com icloud.com me.com mac.com itunes.com cdn-apple.com apple-dns.net aaplimg.com mzstatic.com apple.news apple',
  ),
  brand(
    'Apple ID',
    'appleid icloud itunes findmyiphone findmyphone appstoreconnect applesupport',
    'apple.com icloud.com itunes.com icloud-content.com icloud.com.cn apple-cloudkit.com cdn-apple.com',
  ),
  brand(
    'Adobe',
    'adobe adobesign adobeacrobat adobeid',
    'adobe.com adobelogin.com adobe.io adobesign.com adobeconnect.com typekit.com behance.net adobestock.com adobe.net omtrdc.net adobedtm.com adobecc.com adobess.com adobeprojectm.com',
  ),
  brand(
    'Dropbox',
    'dropbox',
    'dropbox.com dropboxusercontent.com dropbox.tech dropboxapi.com dropboxstatic.com dropboxforum.com dropboxbusiness.com db.tt',
  ),
  brand('DocuSign', 'docusign', 'docusign.com docusign.net docusign.io docusigninc.com'),
  brand('WeTransfer', 'wetransfer', 'wetransfer.com we.tl wetransfer.net'),
  brand(
    'GitHub',
    'github',
    'github.com github.io githubusercontent.com github.dev githubassets.com github.blog githubstatus.com github.community githubapp.com github.net githubengineering.com',
  ),
  brand('GitLab', 'gitlab', 'gitlab.com gitlab.io gitlab.net gitlab.org about.gitlab.com gitlab-static.net'),
  brand(
    'Atlassian',
    'atlassian',
    'atlassian.com atlassian.net jira.com bitbucket.org trello.com statuspage.io atlassian-dev.net',
  ),
  everyday('Zoom', 'zoom', 'zoom.us zoom.com zoomgov.com zoomcdn.com'),
  everyday('Slack', 'slack', 'slack.com slack-edge.com slackb.com slack-files.com slack-imgs.com'),
  brand(
    'Yahoo',
    'yahoo yahoomail',
    'yahoo.com yahoo.co.jp yahoo.net yahooinc.com yahooapis.com yimg.com yahoodns.net ymail.com yahoomail.com yahoosmallbusiness.com yahoo-inc.com flickr.com yahoo',
  ),
  everyday('AOL', 'aol', 'aol.com aol.co.uk aim.com aolcdn.com aol.net aol'),
  brand('Proton', 'protonmail protonvpn', 'proton.me protonmail.com protonvpn.com protonmail.ch protonstatus.com'),
  brand(
    'Zoho',
    'zoho zohomail',
    'zoho.com zoho.eu zoho.in zohocorp.com zohopublic.com zohomail.com zohostatic.com zohosites.com zohocreator.com',
  ),
  brand('GMX', 'gmx', 'gmx.net gmx.de gmx.com gmx.at gmx.ch gmx.fr'),
  brand('web.de', 'webde', 'web.de'),
  brand(
    'T-Online',
    'tonline telekom',
    't-online.de telekom.de telekom.com telekom.net t-mobile.de deutschetelekom.com telekom-dienste.de telekomcloud.com',
  ),
  brand('Mail.ru', 'mailru', 'mail.ru vk.com imgsmail.ru mailru.com'),
  brand(
    'Yandex',
    'yandex',
    'yandex.ru yandex.com yandex.net yandex.st ya.ru yastatic.net yandexcloud.net yandex.cloud yandex-team.ru yandexadexchange.net yandexwebcache.net',
  ),
  brand('GoDaddy', 'godaddy', 'godaddy.com godaddysites.com secureserver.net godaddy.net godaddy.co godaddypark.com'),
  brand('Namecheap', 'namecheap', 'namecheap.com namecheaphosting.com namecheapcloud.net'),
  brand('OVH', 'ovhcloud', 'ovh.com ovhcloud.com ovh.net ovh.cloud'),
  everyday('IONOS', 'ionos', 'ionos.com ionos.de ionos.co.uk ionos.fr ionos.es 1and1.com 1und1.de ui-portal.de'),
  everyday('STRATO', 'strato', 'strato.de strato.com strato-hosting.eu'),
  brand(
    'Cloudflare',
    'cloudflare',
    'cloudflare.com cloudflare.net cloudflare-dns.com workers.dev pages.dev cloudflareinsights.com cloudflarestatus.com cloudflarestream.com cloudflare-ipfs.com cloudflaressl.com cloudflareclient.com cloudflare-gateway.com',
  ),
  brand(
    'WordPress',
    'wordpress',
    'wordpress.com wordpress.org wp.com w.org wordpress.net wordpress.tv wordpressfoundation.org',
  ),
  brand('Squarespace', 'squarespace', 'squarespace.com sqsp.com squarespace-cdn.com'),
  everyday('Oracle', 'oracle', 'oracle.com oraclecloud.com oracle.net oraclecorp.com'),
  brand(
    'Salesforce',
    'salesforce',
    'salesforce.com force.com salesforce.org my.salesforce.com salesforce-communities.com exacttarget.com salesforceliveagent.com salesforce-sites.com',
  ),
  brand('SAP', 'sapconcur', 'sap.com concur.com concursolutions.com'),
  brand('ServiceNow', 'servicenow', 'servicenow.com service-now.com servicenow.net'),
  brand('Okta', 'okta', 'okta.com oktapreview.com okta-emea.com oktacdn.com auth0.com okta-gov.com trustokta.com'),
  brand('LastPass', 'lastpass', 'lastpass.com lastpass.eu'),
  brand('1Password', '1password', '1password.com 1password.eu 1password.ca 1password.community agilebits.com'),
  brand('Bitwarden', 'bitwarden', 'bitwarden.com bitwarden.eu bitwarden.net'),
  brand('McAfee', 'mcafee', 'mcafee.com mcafeesecure.com trellix.com mcafeemobilesecurity.com'),
  brand('Norton', 'nortonlifelock', 'norton.com lifelock.com nortonlifelock.com symantec.com'),
  brand('Kaspersky', 'kaspersky', 'kaspersky.com kaspersky.ru kaspersky-labs.com kasperskyclub.com kaspersky.net'),
  everyday('Avast', 'avast', 'avast.com avast.ru avast.co'),
  brand('TeamViewer', 'teamviewer', 'teamviewer.com teamviewer.us'),
  brand('AnyDesk', 'anydesk', 'anydesk.com anydesk.com.cn anydesk.de net.anydesk.com'),
  brand(
    'Intuit',
    'intuit quickbooks turbotax',
    'intuit.com quickbooks.com turbotax.com mint.com intuitcdn.net mailchimp.com',
  ),
  brand('Mailchimp', 'mailchimp', 'mailchimp.com list-manage.com mailchimpapp.com mailchi.mp mailchimpsites.com'),
  brand('Sendgrid', 'sendgrid', 'sendgrid.com sendgrid.net twilio.com'),
  brand('OpenAI', 'openai chatgpt', 'openai.com chatgpt.com oaistatic.com oaiusercontent.com chat.com openai.org'),
  brand('Anthropic', 'anthropic', 'anthropic.com claude.ai claude.com'),
  brand('NVIDIA', 'nvidia', 'nvidia.com nvidia.cn geforce.com nvidiagrid.net geforcenow.com'),
  brand(
    'Samsung',
    'samsung',
    'samsung.com samsungcloud.com samsungapps.com samsungelectronics.com samsungsds.com samsungcard.com samsungpop.com samsunghealth.com samsung.net samsungmobile.com samsungknox.com samsungfire.com samsunglife.com',
  ),
  brand('Huawei', 'huawei', 'huawei.com huaweicloud.com hicloud.com huawei.ru vmall.com huaweidevice.com'),
  brand('Xiaomi', 'xiaomi', 'xiaomi.com mi.com xiaomi.net miui.com xiaomi.eu xiaomiyoupin.com'),
  brand('Lenovo', 'lenovo', 'lenovo.com lenovo.com.cn lenovo.net lenovomm.com lenovopress.com'),
  brand('Canva', 'canva', 'canva.com canva.cn canva.site canva.me canva.link'),
  brand('Notion', 'notionso', 'notion.so notion.com notion.site'),
  brand(
    'HubSpot',
    'hubspot',
    'hubspot.com hubspot.net hubspotusercontent.com hs-sites.com hubspotlinks.com hubspotemail.net hubspotpagebuilder.com',
  ),
]

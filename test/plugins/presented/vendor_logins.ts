// Log-ins of products as they run on their customers' own hosts: the maker's name is on them, and nobody is impersonated.

export interface HonestPage {
  readonly of: string
  readonly domain: string
  readonly html: string
}

const page = (title: string, body: string, head = ''): string =>
  `<!doctype html><html><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>${body}</body></html>`

export const vendorLogIns: readonly HonestPage[] = [
  {
    of: 'Outlook Web App 2010',
    domain: 'mail.hollis-metalworks.com',
    html: page(
      'Outlook Web App',
      '<form action="/owa/auth.owa" method="POST" name="logonForm"><input type="hidden" name="destination" value="https://mail.hollis-metalworks.com/owa/"><input type="hidden" name="flags" value="0"><img src="/owa/14.3.123.3/themes/resources/lgntopl.gif" alt=""><h1>Outlook Web App</h1><span>Security</span><input id="rdoPblc" type="radio" name="trusted" value="0"><label for="rdoPblc">This is a public or shared computer</label><label for="username">Domain\\user name:</label><input id="username" name="username" type="text"><label for="password">Password:</label><input id="password" name="password" type="password"><input type="submit" class="btn" value="Sign in"></form><p>Connected to Microsoft Exchange<br>© 2010 Microsoft Corporation. All rights reserved.</p>',
      '<link rel="shortcut icon" href="/owa/14.3.123.3/themes/resources/favicon.ico">',
    ),
  },
  {
    of: 'Outlook on the web 2016',
    domain: 'webmail.hollis-county.org',
    html: page(
      'Outlook',
      '<form action="/owa/auth.owa" method="POST" name="logonForm" autocomplete="off"><input type="hidden" name="destination" value="https://webmail.hollis-county.org/owa/"><div class="signInImageHeader"><img class="mouseHeader" src="/owa/auth/15.1.2507/themes/resources/olk_logo_white.png" alt="Outlook"></div><span>Domain\\user name:</span><input id="username" name="username" type="text"><span>Password:</span><input id="password" name="password" type="password"><div id="lgnDiv" onclick="clkLgn()">sign in</div></form>',
      '<link rel="shortcut icon" href="/owa/auth/15.1.2507/themes/resources/favicon.ico">',
    ),
  },
  {
    of: 'Exchange Admin Center',
    domain: 'mail.hollis-metalworks.com',
    html: page(
      'Exchange Admin Center',
      '<form action="/owa/auth.owa" method="POST" name="logonForm"><h1>Exchange Admin Center</h1><span>Domain\\user name:</span><input name="username" type="text"><span>Password:</span><input name="password" type="password"><div id="lgnDiv">sign in</div></form>',
    ),
  },
  {
    of: 'AD FS',
    domain: 'adfs.hollis-university.edu',
    html: page(
      'Sign In',
      '<div id="header"><img class="logoImage" src="/adfs/portal/logo/logo.png" alt="Hollis University"></div><div id="loginArea"><div id="loginMessage">Sign in with your organizational account</div><form method="post" id="loginForm" action="https://adfs.hollis-university.edu:443/adfs/ls/?wa=wsignin1.0"><input id="userNameInput" name="UserName" type="email" placeholder="someone@example.com"><input id="passwordInput" name="Password" type="password" placeholder="Password"><span id="submitButton">Sign in</span></form></div><div id="footer"><span id="copyright">© 2016 Microsoft</span><a href="/adfs/portal/privacy">Privacy</a></div>',
    ),
  },
  {
    of: 'RD Web Access',
    domain: 'remote.hollis-accounting.co.uk',
    html: page(
      'RD Web Access',
      '<div>Work Resources<br>RemoteApp and Desktop Connection</div><form id="FrmLogin" action="login.aspx?ReturnUrl=default.aspx" method="post"><label>Domain\\user name:</label><input name="DomainUserName" type="text"><label>Password:</label><input name="UserPass" type="password"><button>Sign in</button></form><p>© 2013 Microsoft Corporation. All rights reserved.</p><img src="/RDWeb/Pages/images/WS_h_c.png" alt="Microsoft">',
    ),
  },
  {
    of: 'SharePoint Server',
    domain: 'intranet.hollis-council.gov.uk',
    html: page(
      'Sign In',
      '<h1>Sign In</h1><form method="post" action="./default.aspx?ReturnUrl=%2f_layouts%2f15%2fAuthenticate.aspx" id="aspnetForm"><input type="hidden" name="__VIEWSTATE" value="a"><label>User name:</label><input name="ctl00$PlaceHolderMain$signInControl$UserName" type="text"><label>Password:</label><input name="ctl00$PlaceHolderMain$signInControl$password" type="password"><input type="submit" value="Sign In"></form>',
      '<meta name="GENERATOR" content="Microsoft SharePoint"><link rel="shortcut icon" href="/_layouts/15/images/favicon.ico">',
    ),
  },
  {
    of: 'Citrix Gateway',
    domain: 'gateway.hollis-hospital.org',
    html: page(
      'Citrix Gateway',
      '<div id="logonbelt"><img src="/logon/themes/Default/resources/logo.png" alt="Citrix"></div><form action="/cgi/login" method="post" name="vpnForm"><label>User name</label><input id="login" name="login" type="text"><label>Password</label><input id="passwd" name="passwd" type="password"><button id="nsg-x1-logon-button">Log On</button></form>',
    ),
  },
  {
    of: 'Cisco ASA',
    domain: 'vpn.hollis-metalworks.com',
    html: page(
      'SSL VPN Service',
      '<form method="post" action="/+webvpn+/index.html"><h2>Login</h2><img src="/+CSCOU+/csco_logo.gif" alt="Cisco"><p>Please enter your username and password.</p><label>USERNAME:</label><input name="username" type="text"><label>PASSWORD:</label><input name="password" type="password"><input type="submit" value="Login"></form>',
    ),
  },
  {
    of: 'FortiGate SSL VPN',
    domain: 'sslvpn.hollis-logistics.de',
    html: page(
      'Please Login',
      '<div class="prompt legacy-prompt"><form action="/remote/logincheck" method="post"><h1>Please Login</h1><input type="text" name="username" placeholder="Name"><input type="password" name="credential" placeholder="Password"><button>Login</button><button>Launch FortiClient</button></form></div>',
    ),
  },
  {
    of: 'GlobalProtect Portal',
    domain: 'portal.hollis-insurance.com',
    html: page(
      'GlobalProtect Portal',
      '<div id="heading">GlobalProtect Portal</div><form method="post" action="/global-protect/login.esp" id="login_form"><input type="text" name="user" placeholder="Username"><input type="password" name="passwd" placeholder="Password"><input type="submit" value="LOG IN"></form>',
    ),
  },
  {
    of: 'Roundcube',
    domain: 'webmail.hollis-mail.net',
    html: page(
      'Roundcube Webmail :: Welcome to Roundcube Webmail',
      '<img src="skins/elastic/images/logo.svg?s=17" id="logo" alt="Roundcube Webmail"><form id="login-form" method="post" action="./?_task=login"><input type="hidden" name="_token" value="a"><input name="_user" placeholder="Username" type="text"><input name="_pass" placeholder="Password" type="password"><button>Login</button></form>',
    ),
  },
  {
    of: 'Zimbra',
    domain: 'zimbra.hollis-academy.fr',
    html: page(
      'Zimbra Web Client Sign In',
      '<a href="https://www.zimbra.com/" id="bannerLink"><span class="ImgLoginBanner"></span></a><form method="post" name="loginForm" action="/"><input type="hidden" name="loginOp" value="login"><label>Username:</label><input name="username" type="text"><label>Password:</label><input name="password" type="password"><input type="submit" value="Sign In"></form><div>Copyright © 2005-2023 Synacor, Inc. All rights reserved. "Zimbra" is a registered trademark of Synacor, Inc.</div>',
    ),
  },
  {
    of: 'Horde',
    domain: 'mail.hollis-club.org',
    html: page(
      'Mail :: Log in',
      '<form method="post" action="/imp/login.php"><h1>Welcome to Horde</h1><label>Username</label><input name="horde_user" type="text"><label>Password</label><input name="horde_pass" type="password"><button>Log in</button></form>',
    ),
  },
  {
    of: 'cPanel',
    domain: 'cpanel.hollis-florist.com',
    html: page(
      'cPanel Login',
      '<img src="/cPanel_magic_revision_1/unprotected/cpanel/images/cpanel-logo.svg" alt="logo"><form id="login_form" action="/login/" method="post"><label>Username</label><input name="user" type="text" placeholder="Enter your username."><label>Password</label><input name="pass" type="password" placeholder="Enter your account password."><button>Log in</button></form><div class="copyright">Copyright© 2026 cPanel, L.L.C.<br><a href="https://go.cpanel.net/privacy">Privacy Policy</a></div>',
    ),
  },
  {
    of: 'Plesk',
    domain: 'host12.hollis-hosting.net',
    html: page(
      'Plesk Obsidian',
      '<img src="/theme/images/logo.svg" alt="Plesk"><h1>Log in to Plesk</h1><form method="post" action="/login_up.php"><label>Username</label><input name="login_name" type="text"><label>Password</label><input name="passwd" type="password"><button>Log in</button></form><p>© 2026 WebPros International GmbH. All rights reserved.</p>',
    ),
  },
  {
    of: 'Jira',
    domain: 'jira.hollis-software.com',
    html: page(
      'Log in - Hollis Tracker',
      '<header><a href="/secure/Dashboard.jspa"><img src="/s/jira-logo-scaled.png" alt="Hollis Tracker"></a></header><form action="/login.jsp" method="post" id="login-form"><h2>Welcome to Hollis Tracker</h2><label>Username</label><input name="os_username" type="text"><label>Password</label><input name="os_password" type="password"><input type="submit" value="Log In"></form><footer>Atlassian Jira Project Management Software (v9.4.2) <a href="https://www.atlassian.com/">Atlassian</a></footer>',
      '<meta name="application-name" content="JIRA">',
    ),
  },
  {
    of: 'Confluence',
    domain: 'wiki.hollis-software.com',
    html: page(
      'Log In - Confluence',
      '<header><a href="/"><img src="/images/logo/confluence-logo.png" alt="Confluence"></a></header><form action="/dologin.action" method="post"><h2>Log in</h2><label>Username</label><input name="os_username" type="text"><label>Password</label><input name="os_password" type="password"><input type="submit" value="Log in"></form><footer>Powered by <a href="https://www.atlassian.com/software/confluence">Atlassian Confluence</a> 7.19</footer>',
      '<meta name="application-name" content="Confluence">',
    ),
  },
  {
    of: 'GitLab',
    domain: 'gitlab.hollis-robotics.io',
    html: page(
      'Sign in · GitLab',
      '<h1>GitLab Community Edition</h1><form action="/users/sign_in" method="post"><input type="hidden" name="authenticity_token" value="a"><label>Username or primary email</label><input name="user[login]" type="text"><label>Password</label><input name="user[password]" type="password"><button>Sign in</button></form><a href="/explore">Explore</a><a href="/help">Help</a><a href="https://about.gitlab.com/">About GitLab</a>',
      '<meta property="og:site_name" content="GitLab"><meta name="csrf-token" content="a">',
    ),
  },
  {
    of: 'Gitea',
    domain: 'git.hollis-robotics.io',
    html: page(
      'Sign In - Gitea: Git with a cup of tea',
      '<nav><a href="/"><img src="/assets/img/logo.svg" alt="Home"></a><a href="/explore/repos">Explore</a></nav><form action="/user/login" method="post"><input type="hidden" name="_csrf" value="a"><h4>Sign In</h4><label>Username or Email Address</label><input name="user_name" type="text"><label>Password</label><input name="password" type="password"><button>Sign In</button></form><footer>Powered by Gitea</footer>',
    ),
  },
  {
    of: 'Jenkins',
    domain: 'ci.hollis-software.com',
    html: page(
      'Sign in [Jenkins]',
      '<h1>Welcome to Jenkins!</h1><form method="post" action="j_spring_security_check"><input name="j_username" placeholder="Username" type="text"><input name="j_password" placeholder="Password" type="password"><button>Sign in</button></form>',
    ),
  },
  {
    of: 'Synology DSM',
    domain: 'nas.hollis-family.net',
    html: page(
      'DiskStation - Synology DiskStation',
      '<h1>DiskStation</h1><form action="/webman/login.cgi" method="post"><input name="username" placeholder="Username" type="text"><input name="passwd" placeholder="Password" type="password"><button>Sign In</button></form><p>© 2026 Synology Inc.</p>',
      '<meta name="application-name" content="DiskStation">',
    ),
  },
  {
    of: 'QNAP QTS',
    domain: 'files.hollis-studio.com',
    html: page(
      'Hollis-NAS',
      '<img src="/cgi-bin/images/qnap_logo.png" alt="QNAP"><form action="/cgi-bin/authLogin.cgi" method="post"><input name="username" placeholder="Username" type="text"><input name="pwd" placeholder="Password" type="password"><button>Login</button></form><p>© QNAP Systems, Inc.</p>',
    ),
  },
  {
    of: 'Nextcloud',
    domain: 'cloud.hollis-verein.de',
    html: page(
      'Login – Hollis Cloud',
      '<h1 class="hidden-visually">Hollis Cloud</h1><form method="post" name="login"><h2>Log in to Hollis Cloud</h2><label>Account name or email</label><input name="user" type="text"><label>Password</label><input name="password" type="password"><button>Log in</button></form><footer><a href="https://nextcloud.com">Hollis Cloud</a> – a safe home for all your data</footer>',
      '<meta name="application-name" content="Nextcloud">',
    ),
  },
  {
    of: 'WordPress',
    domain: 'hollis-blog.com',
    html: page(
      'Log In ‹ Hollis Blog — WordPress',
      '<div id="login"><h1><a href="https://wordpress.org/">Powered by WordPress</a></h1><form id="loginform" action="https://hollis-blog.com/wp-login.php" method="post"><label>Username or Email Address</label><input name="log" type="text"><label>Password</label><input name="pwd" type="password"><input type="submit" value="Log In"></form><p><a href="https://hollis-blog.com/">← Go to Hollis Blog</a></p></div>',
    ),
  },
  {
    of: 'TYPO3',
    domain: 'www.hollis-verband.de',
    html: page(
      'Login to the TYPO3 Backend – Hollis Verband',
      '<img src="/typo3/sysext/backend/Resources/Public/Images/typo3_logo_orange.svg" alt="TYPO3 CMS"><form action="/typo3/login" method="post"><input name="username" placeholder="Username" type="text"><input name="p_field" placeholder="Password" type="password"><button>Login</button></form><p>TYPO3 CMS © 1998–2026 Kasper Skårhøj.</p>',
    ),
  },
  {
    of: 'Magento',
    domain: 'shop.hollis-garden.com',
    html: page(
      'Magento Admin',
      '<a href="https://shop.hollis-garden.com/admin_12"><img src="/static/adminhtml/Magento/backend/en_US/images/magento-logo.svg" alt="Magento Admin Panel"></a><form method="post" action="https://shop.hollis-garden.com/admin_12" id="login-form"><input type="hidden" name="form_key" value="a"><h2>Welcome, please sign in</h2><label>Username</label><input name="login[username]" type="text"><label>Password</label><input name="login[password]" type="password"><button>Sign in</button></form><footer>Copyright © 2026 Magento Commerce Inc. All rights reserved.</footer>',
    ),
  },
  {
    of: 'phpMyAdmin',
    domain: 'db.hollis-florist.com',
    html: page(
      'phpMyAdmin',
      '<a href="https://www.phpmyadmin.net/"><img src="./themes/pmahomme/img/logo_right.png" id="imLogo" alt="phpMyAdmin"></a><h1>Welcome to phpMyAdmin</h1><form method="post" action="index.php?route=/" name="login_form" id="login_form"><label for="input_username">Username:</label><input name="pma_username" type="text"><label for="input_password">Password:</label><input name="pma_password" type="password"><input type="hidden" name="token" value="a"><input type="hidden" name="server" value="1"><input type="submit" value="Log in"></form>',
      '<link rel="stylesheet" href="./themes/pmahomme/css/theme.css"><script src="js/dist/functions.js"></script>',
    ),
  },
  {
    of: 'SAP NetWeaver Portal',
    domain: 'portal.hollis-chemicals.com',
    html: page(
      'SAP NetWeaver Portal',
      '<img src="/irj/portalapps/com.sap.portal.runtime.logon/layout/sapLogo.svg" alt="SAP"><h1>Welcome</h1><form name="logonForm" method="post" action="/irj/portal"><input type="hidden" name="login_submit" value="on"><label>User *</label><input name="j_username" type="text"><label>Password *</label><input name="j_password" type="password"><input type="submit" value="Log On"></form><p>© 2026 SAP SE. All Rights Reserved.</p>',
    ),
  },
  {
    of: 'Oracle Application Express',
    domain: 'apps.hollis-chemicals.com',
    html: page(
      'Oracle APEX - Sign In',
      '<h1>Oracle APEX</h1><form action="wwv_flow.accept" method="post" name="wwv_flow"><input type="hidden" name="p_flow_id" value="4550"><label>Workspace</label><input name="p_t01" type="text"><label>Username</label><input name="p_t02" type="text"><label>Password</label><input name="p_t03" type="password"><button>Sign In</button></form><p>Copyright © 1999, 2026, Oracle and/or its affiliates.</p>',
    ),
  },
  {
    of: 'Moodle',
    domain: 'learn.hollis-academy.fr',
    html: page(
      'Log in to the site | Hollis Learn',
      '<h1>Log in to Hollis Learn</h1><form action="https://learn.hollis-academy.fr/login/index.php" method="post" id="login"><input type="hidden" name="logintoken" value="a"><input name="username" placeholder="Username" type="text"><input name="password" placeholder="Password" type="password"><button>Log in</button></form><div>Some courses may allow guest access</div>',
    ),
  },
  {
    of: 'Keycloak',
    domain: 'sso.hollis-software.com',
    html: page(
      'Sign in to Hollis',
      '<div id="kc-header">Hollis</div><h1 id="kc-page-title">Sign in to your account</h1><form id="kc-form-login" action="https://sso.hollis-software.com/realms/hollis/login-actions/authenticate" method="post"><label>Username or email</label><input name="username" type="text"><label>Password</label><input name="password" type="password"><input type="submit" value="Sign In"></form><a id="social-google" href="/realms/hollis/broker/google/login">Google</a><a id="social-microsoft" href="/realms/hollis/broker/microsoft/login">Microsoft</a>',
    ),
  },
  {
    of: 'VMware Horizon',
    domain: 'desktop.hollis-hospital.org',
    html: page(
      'VMware Horizon',
      '<img src="/portal/webclient/icons/logo.png" alt="VMware Horizon"><form action="/portal/webclient/login" method="post"><input name="username" placeholder="Username" type="text"><input name="password" placeholder="Password" type="password"><select name="domain"><option>HOLLIS</option></select><button>Login</button></form>',
    ),
  },
  {
    of: 'Apple Profile Manager',
    domain: 'server.hollis-school.org',
    html: page(
      'Profile Manager',
      '<h1>Profile Manager</h1><form action="/auth" method="post"><input name="username" placeholder="User Name" type="text"><input name="password" placeholder="Password" type="password"><button>Log In</button></form><p>© 2011-2019 Apple Inc.</p>',
    ),
  },
]

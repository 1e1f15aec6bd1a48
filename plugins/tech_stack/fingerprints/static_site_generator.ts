// Static site generators.
import { classes, className, comment, file, generator, id, technologies } from '../patterns.ts'

export const static_site_generator = technologies('static_site_generator', [
  ['Docusaurus', [generator('Docusaurus'), id('__docusaurus')], ['React']],
  ['Eleventy', [generator('Eleventy')], ['Node.js']],
  ['GitBook', [generator('GitBook')]],
  ['Gridsome', [generator('Gridsome')], ['Vue.js']],
  ['Hexo', [generator('Hexo')], ['Node.js']],
  ['Hugo', [generator('Hugo')], ['Go']],
  ['Jekyll', [generator('Jekyll'), comment('Begin Jekyll SEO tag', { confidence: 99 })], ['Ruby']],
  ['MkDocs', [generator('mkdocs-', ''), generator('MkDocs')], ['Python']],
  ['Nextra', [className('nextra-container'), classes('nextra-')], ['Next.js']],
  ['Pelican', [generator('Pelican')], ['Python']],
  ['Quarto', [generator('quarto-', '')]],
  ['Sphinx', [file('searchtools.js'), file('documentation_options.js'), file('doctools.js')], ['Python']],
  ['VitePress', [generator('VitePress'), classes('VPContent')], ['Vue.js']],
  ['VuePress', [generator('VuePress')], ['Vue.js']],
  ['Zola', [generator('Zola')], ['Rust']],
])

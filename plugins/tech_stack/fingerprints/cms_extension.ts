// Extensions and themes of content management systems.
import {
  className,
  comment,
  cookies,
  element,
  from,
  generator,
  generatorWith,
  id,
  resource,
  technologies,
} from '../marks.ts'

export const cms_extension = technologies('cms_extension', [
  ['Advanced Custom Fields', [resource('/wp-content/plugins/advanced-custom-fields')], ['WordPress']],
  ['Akismet', [resource('/wp-content/plugins/akismet/'), id('ak_js_1')], ['WordPress']],
  ['All in One SEO', [comment('All in One SEO', { version: ' ' }), generatorWith('All in One SEO')], ['WordPress']],
  ['Astra', [resource('/wp-content/themes/astra/')], ['WordPress']],
  ['Beaver Builder', [resource('/wp-content/plugins/bb-plugin/'), className('fl-builder-content')], ['WordPress']],
  [
    'Contact Form 7',
    [
      resource('/wp-content/plugins/contact-form-7/'),
      resource('/wp-content/plugins/contact-form-7/includes/', { version: '?ver=' }),
      className('wpcf7-form'),
    ],
    ['WordPress'],
  ],
  ['Divi', [resource('/wp-content/themes/Divi/'), id('et-main-area'), className('et_pb_section')], ['WordPress']],
  [
    'Elementor',
    [
      generator('Elementor'),
      resource('/wp-content/plugins/elementor/'),
      resource('/wp-content/plugins/elementor/assets/js/frontend', { version: '?ver=' }),
      resource('/wp-content/plugins/elementor/assets/css/frontend', { version: '?ver=' }),
      className('elementor'),
    ],
    ['WordPress'],
  ],
  ['Gravity Forms', [resource('/wp-content/plugins/gravityforms/'), className('gform_wrapper')], ['WordPress']],
  ['Jetpack', [resource('/wp-content/plugins/jetpack/'), from('stats.wp.com')], ['WordPress']],
  ['Rank Math SEO', [comment('Rank Math'), resource('/wp-content/plugins/seo-by-rank-math/')], ['WordPress']],
  [
    'Slider Revolution',
    [generator('Powered by Slider Revolution'), resource('/wp-content/plugins/revslider/'), element('rs-module')],
  ],
  ['Wordfence', [cookies('wfvt_'), cookies('wordfence_verifiedHuman')], ['WordPress']],
  [
    'WPBakery',
    [generator('Powered by WPBakery', null), resource('/wp-content/plugins/js_composer/'), className('wpb_wrapper')],
    ['WordPress'],
  ],
  ['WPML', [generator('WPML', 'ver:'), resource('/wp-content/plugins/sitepress-multilingual-cms/')], ['WordPress']],
  [
    'Yoast SEO',
    [
      comment('Yoast SEO plugin', { version: ' ' }),
      className('yoast-schema-graph'),
      resource('/wp-content/plugins/wordpress-seo'),
    ],
    ['WordPress'],
  ],
])

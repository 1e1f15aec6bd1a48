// CAPTCHAs.
import { className, element, from, id, packaged, resource, technologies } from '../patterns.ts'

export const captcha = technologies('captcha', [
  ['ALTCHA', [element('altcha-widget'), packaged('altcha')]],
  ['Arkose Labs', [from('arkoselabs.com'), from('funcaptcha.com')]],
  ['Cloudflare Turnstile', [resource('challenges.cloudflare.com/turnstile/'), className('cf-turnstile')]],
  ['Friendly Captcha', [className('frc-captcha'), resource('friendly-challenge'), from('friendlycaptcha.com')]],
  ['GeeTest', [from('static.geetest.com'), from('geetest.com')]],
  ['hCaptcha', [from('hcaptcha.com'), className('h-captcha')]],
  ['mCaptcha', [id('mcaptcha__widget-container'), from('mcaptcha.org')]],
  ['MTCaptcha', [from('service.mtcaptcha.com')]],
  ['Prosopo', [from('js.prosopo.io')]],
  [
    'reCAPTCHA',
    [
      resource('google.com/recaptcha/'),
      resource('recaptcha.net/recaptcha/'),
      resource('gstatic.com/recaptcha/'),
      className('g-recaptcha'),
      className('grecaptcha-badge'),
    ],
  ],
  ['Tencent Captcha', [from('turing.captcha.qcloud.com')]],
  ['Yandex SmartCaptcha', [from('smartcaptcha.yandexcloud.net')]],
])

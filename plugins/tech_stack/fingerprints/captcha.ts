// Tests for being human.
import { className, from, id, resource, technologies } from '../marks.ts'

export const captcha = technologies('captcha', [
  ['Arkose Labs', [from('arkoselabs.com'), from('funcaptcha.com')]],
  ['Cloudflare Turnstile', [resource('challenges.cloudflare.com/turnstile/'), className('cf-turnstile')]],
  ['Friendly Captcha', [className('frc-captcha'), resource('friendly-challenge'), from('friendlycaptcha.com')]],
  ['GeeTest', [from('static.geetest.com'), from('geetest.com')]],
  ['hCaptcha', [from('hcaptcha.com'), className('h-captcha')]],
  ['mCaptcha', [id('mcaptcha__widget-container'), from('mcaptcha.org')]],
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
])

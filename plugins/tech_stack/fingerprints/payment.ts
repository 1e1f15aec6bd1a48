// Payment.
import { cookie, element, formTo, from, technologies, txt } from '../marks.ts'

export const payment = technologies('payment', [
  ['Adyen', [from('adyen.com')]],
  ['Affirm', [from('affirm.com')]],
  ['Afterpay', [from('afterpay.com'), element('afterpay-placement')]],
  [
    'Amazon Pay',
    [from('static-eu.payments-amazon.com'), from('static-na.payments-amazon.com'), from('payments-amazon.com')],
  ],
  ['Braintree', [from('braintreegateway.com'), from('braintree-api.com')]],
  ['Checkout.com', [from('cdn.checkout.com')]],
  ['Clearpay', [from('clearpay.co.uk')]],
  ['GoCardless', [from('gocardless.com')]],
  ['Klarna', [from('klarna.com'), from('klarnaservices.com'), from('klarnacdn.net'), element('klarna-placement')]],
  ['Mollie', [from('mollie.com')]],
  ['Paddle', [from('cdn.paddle.com')]],
  ['PayPal', [from('paypal.com'), from('paypalobjects.com'), formTo('paypal.com/cgi-bin/webscr')]],
  ['Razorpay', [from('checkout.razorpay.com')]],
  ['Sezzle', [from('sezzle.com')]],
  ['Square', [from('squareup.com'), from('squarecdn.com'), from('squareupsandbox.com')]],
  [
    'Stripe',
    [
      from('js.stripe.com'),
      from('checkout.stripe.com'),
      cookie('__stripe_mid'),
      element('stripe-buy-button'),
      element('stripe-pricing-table'),
      txt('stripe-verification='),
    ],
  ],
  ['Worldpay', [from('worldpay.com')]],
])

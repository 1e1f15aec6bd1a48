// What to do about each signal of link: first what a visitor must not do, then the advice.
export const advice = {
  page_in_asset_folder: 'If the site is yours and you did not put the page there, it was broken into: remove the page.',
  host_in_path: 'Look at the host before the first slash: that is whose site it is.',
  brand_in_path: 'To use the brand’s own site, type its name yourself.',
  lure_in_path: null,
  host_beside_at_sign: 'Look at the host before the first slash: that is whose site it is.',
  email_address_in_link: 'Do not pass the link on: it names a person.',
  double_encoding: null,
  open_redirector: 'Judge the link by the site that it leads to, not by the service that it begins with.',
} as const

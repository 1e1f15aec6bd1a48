// The brands that names most often pretend to be, with their own domains, national ones where they differ in name.
import type { Brand } from './brand.ts'
import { authorities } from './brands/authorities.ts'
import { crypto } from './brands/crypto.ts'
import { delivery } from './brands/delivery.ts'
import { finance } from './brands/finance.ts'
import { shopping } from './brands/shopping.ts'
import { social } from './brands/social.ts'
import { technology } from './brands/technology.ts'

export const brands: readonly Brand[] = [
  ...technology,
  ...social,
  ...finance,
  ...crypto,
  ...delivery,
  ...shopping,
  ...authorities,
]

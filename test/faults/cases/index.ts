// Every fault that is played to the one service.
import type { FaultCase } from '../case.ts'
import { addressFaults } from './addresses.ts'
import { dnsFaults } from './dns.ts'
import { htmlFaults } from './html.ts'
import { httpFaults } from './http.ts'
import { keyFaults } from './keys.ts'
import { registryFaults } from './registries.ts'
import { requestFaults } from './request.ts'
import { tlsFaults } from './tls.ts'

export const cases: readonly FaultCase[] = [
  ...requestFaults,
  ...addressFaults,
  ...dnsFaults,
  ...tlsFaults,
  ...httpFaults,
  ...htmlFaults,
  ...registryFaults,
  ...keyFaults,
]

// Every fault that is played to the one service.
import type { FaultCase } from '../case.ts'
import { addressFaults } from './addresses.ts'
import { dnsFaults } from './dns.ts'
import { httpFaults } from './http.ts'
import { requestFaults } from './request.ts'

export const cases: readonly FaultCase[] = [...requestFaults, ...addressFaults, ...dnsFaults, ...httpFaults]

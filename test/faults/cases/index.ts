// Every fault that is played to the one service.
import type { FaultCase } from '../case.ts'
import { dnsFaults } from './dns.ts'

export const cases: readonly FaultCase[] = [...dnsFaults]

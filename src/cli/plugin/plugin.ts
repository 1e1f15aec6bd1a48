// `assay plugin`: for those who write one.
import type { Command } from 'commander'
import type { Output } from '../output.ts'
import { addNew } from './new.ts'
import { addTest } from './test.ts'

export function addPlugin(program: Command, output: Output): void {
  const plugin = program.command('plugin').description('write a plugin, and test it')
  addNew(plugin, output)
  addTest(plugin, output)
}

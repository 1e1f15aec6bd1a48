// `assay plugin`: for those who write one.
import type { Command } from 'commander'
import type { Output } from '../output.ts'
import { addNew } from './new.ts'
import { addTest } from './test.ts'

export function definePlugin(plugin: Command, output: Output): void {
  addNew(plugin, output)
  addTest(plugin, output)
}

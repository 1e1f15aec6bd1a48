// The version, from package.json.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from './package_root.ts'

const { version: written } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }

export const version = written

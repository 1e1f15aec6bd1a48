// One worker of the service, which connects to the lab. Its argument is the lab's address book.
import { readFileSync } from 'node:fs'
import { serveForPrimary } from '../../src/cli/serve_worker.ts'
import { dialTo, type Reachable } from './lab.ts'

const reachable = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Reachable
await serveForPrimary({ dial: dialTo(reachable), extra_roots: reachable.root })

// What a browser is served: the page at `/` with its assets, and the reference at `/docs`.
import type { ApiDocument } from '../api/docs/document.ts'
import { reference } from '../api/docs/reference.ts'
import { htmlPage, openWeb, type WebPages } from '../api/web.ts'
import type { Registry } from '../engine/registry.ts'
import { VERDICT_FROM } from '../scoring/verdict.ts'

/** `openapi` is the interface's description as it is served. */
export function pagesFor({ groups }: Registry, openapi: string): WebPages {
  const document = JSON.parse(openapi) as ApiDocument
  return new Map([
    ...openWeb({ verdicts: VERDICT_FROM, ceilings: groups }),
    ['/docs', htmlPage(reference(document))] as const,
  ])
}

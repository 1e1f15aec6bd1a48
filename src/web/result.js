// The types that the page reads, for the type checker; empty at run time.

/** @typedef {import('../engine/report/schema.ts').Report} Report */
/** @typedef {import('../engine/report/schema.ts').ReportSection} ReportSection */
/** @typedef {Report['findings'][number]} Finding */

/** @typedef {{ readonly kind: string, readonly width: number, readonly height: number }} Screenshot */

/**
 * @typedef {object} Result The members of a result that the page reads itself; the report has the rest.
 * @property {string | null} [result_id] null when the result is not kept
 * @property {string | null} domain
 * @property {string | null} ip
 * @property {string} checked_at
 * @property {string} recommendation
 * @property {{ readonly url: string, readonly title: string | null, readonly screenshots: readonly Screenshot[] } | null} [rendered]
 */

/**
 * @typedef {object} Answer A result and its report, both as received.
 * @property {string} text
 * @property {string} report
 */

/**
 * @typedef {object} PageData What the page knows before the first check.
 * @property {readonly (readonly [least: number, verdict: string])[]} verdicts highest first
 * @property {Readonly<Record<string, string>>} titles of sections, by name
 */

export {}

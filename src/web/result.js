// The types that the page reads, for the type checker; empty at run time.

/**
 * @typedef {object} Detail A signal found, with what it costs here.
 * @property {string} id
 * @property {string} section
 * @property {string} group
 * @property {import('./severity.js').Severity} severity
 * @property {number} points
 * @property {number | null} floor
 * @property {string} title
 * @property {string | null} detail
 */

/**
 * @typedef {object} SectionCoverage
 * @property {'completed' | 'not_applicable' | 'unavailable' | 'failed'} status
 * @property {string | null} reason
 * @property {number} duration_ms
 */

/**
 * @typedef {object} Coverage
 * @property {boolean} complete
 * @property {number} ratio
 * @property {Readonly<Record<string, SectionCoverage>>} sections
 */

/**
 * @typedef {object} Head
 * @property {string | null} [result_id] null when the result is not kept
 * @property {string | null} domain
 * @property {string | null} ip
 * @property {string | null} [url] absent in results of earlier versions, like the next two
 * @property {string | null} [final_url]
 * @property {'safe' | 'suspicious' | 'malicious' | null} [host_verdict]
 * @property {number} risk_score
 * @property {string} verdict
 * @property {readonly string[]} threat_types kinds of threat: `phishing`, `malware`; empty when none is known
 * @property {'allow' | 'review' | 'block'} recommendation
 * @property {string} recommendation_reason one sentence
 * @property {'high' | 'medium' | 'low'} confidence
 * @property {readonly Detail[]} signal_details
 * @property {Coverage} coverage
 * @property {string} scoring_policy
 * @property {string} checked_at
 * @property {number} process_time_ms
 * @property {boolean} cached
 * @property {true} [stale]
 */

/** @typedef {Head & Readonly<Record<string, unknown>>} Result */

/**
 * @typedef {object} Scoring How this service scores: its ranges and ceilings.
 * @property {readonly (readonly [least: number, verdict: string])[]} verdicts highest first
 * @property {Readonly<Record<string, number>>} ceilings by group
 */

export {}

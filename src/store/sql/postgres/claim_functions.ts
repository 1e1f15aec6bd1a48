// Claims in PostgreSQL: a table that a crash empties, and functions that run the statements of `claims.ts` in one round trip. The
// locks are statements of their own, because a statement does not see what was committed while it waited for a lock. A migration
// that changes a function gives it another name: the version before may still run.
import { ANSWER, claimsTable, DISPLACE, END, FOLLOW, GRANT, RECORD, REPORT, renewal, WITHDRAW } from '../claims.ts'

export const CHANNEL = 'assay_claims'

/** First keys of advisory locks: of a target, then of a key, always in this order. */
const LOCKS = { target: 1_634_955_105, key: 1_634_955_106 } as const

const plain = (text: string) => text.replaceAll(':in_', 'in_')
const lock = (what: keyof typeof LOCKS) => `PERFORM pg_advisory_xact_lock(${LOCKS[what]}, hashtext(in_${what}));`
const SET_NOW = 'in_now := coalesce(in_now, CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT));'

/** Tells the other processes, and this one when it follows. */
const tell = (state: string) => `PERFORM pg_notify('${CHANNEL}', v_id || ' ' || ${state});`
const checkedRead = (text: string, state: string) => `${plain(text)} INTO v_id, v_owner, v_followed;
  IF v_owner <> in_owner OR v_followed = 1 THEN ${tell(state)} END IF;`
const GRANT_LOOP = `LOOP
    ${plain(GRANT)} INTO v_id, v_owner;
    EXIT WHEN NOT FOUND;
    IF v_owner <> in_owner THEN ${tell("'running'")} END IF;
  END LOOP;`

const BOUND_PARAMETERS = 'in_owner TEXT, in_at_once BIGINT, in_per_second BIGINT'
const KEY_BOUND_PARAMETERS = 'in_waiting BIGINT, in_key_at_once BIGINT, in_key_per_second BIGINT'
const report =
  'out_leader TEXT, out_state TEXT, out_slot_ms BIGINT, out_rate_ms BIGINT, out_served_ms BIGINT, out_ahead BIGINT, out_changes TEXT'

/** The table is small and always changing: its statistics say nothing, and planning or compiling cost more than running. */
const create = (name: string, parameters: string, columns: string, body: string) => `
CREATE FUNCTION ${name}(${parameters}, in_now BIGINT) RETURNS TABLE (${columns})
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off AS $body$
#variable_conflict use_column
DECLARE v_id TEXT; v_owner TEXT; v_followed BIGINT;
BEGIN
  ${body}
END $body$`

const { renew, sweep, states } = renewal(name => `SELECT unnest(${name})`, 'FOR UPDATE SKIP LOCKED')

export const claimStatements: readonly string[] = [
  ...claimsTable(
    'TEXT COLLATE "C"',
    'BIGINT',
    'WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)',
    'UNLOGGED',
  ),
  create(
    'claim_turn',
    `${BOUND_PARAMETERS}, ${KEY_BOUND_PARAMETERS}, in_id TEXT, in_flight TEXT, in_target TEXT, in_key TEXT, in_background BIGINT, in_fresh BIGINT, in_found BIGINT`,
    report,
    `IF in_found = 1 THEN RETURN; END IF;
  ${lock('target')} ${lock('key')} ${SET_NOW}
  ${plain(FOLLOW)};
  ${checkedRead(DISPLACE, "'busy'")}
  ${plain(RECORD)};
  ${GRANT_LOOP}
  RETURN QUERY ${plain(ANSWER)};`,
  ),
  create(
    'advance_turns',
    `${BOUND_PARAMETERS}, in_target TEXT, in_end TEXT, in_end_state TEXT, in_id TEXT, in_key TEXT, in_background BIGINT`,
    report,
    `${lock('target')} ${SET_NOW}
  ${plain(END)} INTO v_id, v_owner, v_followed;
  IF v_followed = 1 THEN ${tell('in_end_state')} END IF;
  ${GRANT_LOOP}
  ${plain(WITHDRAW)} INTO v_id, v_owner, v_followed;
  IF v_followed = 1 THEN ${tell("'busy'")} END IF;
  RETURN QUERY ${plain(REPORT)};`,
  ),
  create(
    'renew_claims',
    'in_own TEXT[], in_ids TEXT[], in_sweep BIGINT',
    'out_id TEXT, out_state TEXT',
    `${SET_NOW}
  ${plain(renew)};
  IF in_sweep = 1 THEN ${plain(sweep)}; END IF;
  RETURN QUERY ${plain(states)};`,
  ),
]

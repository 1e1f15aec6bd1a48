// One attempt at a delivery: what becomes of it for each answer, over a store and a receiver that only note what they are asked.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { CUT_OFF_MS, deliver } from '../../../src/service/watch/deliver.ts'
import { newSecret } from '../../../src/service/watch/signature.ts'
import type { WebhookAnswer, WebhookRequest } from '../../../src/service/watch/webhook.ts'
import { type Delivery, nothingChecked, type Outcome, type Watch } from '../../../src/store/watches.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const MINUTE = 60_000
const clock = { now: () => NOW, monotonic: () => 0 }

const watch: Watch = {
  id: 'watch_a',
  account: 'acc_a',
  key: 'key_a',
  target: 'shop.example',
  format: 'json',
  every_ms: 60 * MINUTE,
  notify: 'https://hooks.example/x',
  secret: newSecret(),
  created: 0,
  next_at: 0,
  state: nothingChecked,
}
const delivery: Delivery = {
  id: 'msg_a',
  watch: watch.id,
  account: watch.account,
  type: 'watch.changed',
  event: '{"type":"watch.changed"}',
  created: 0,
  state: 'pending',
  attempt: 3,
  failed: 2,
  next_at: NOW,
  last: null,
}
const accepted: WebhookAnswer = { status: 204, failure: null, retry_after_ms: 0 }
const rejected = (status: number, retry_after_ms = 0): WebhookAnswer => ({
  status,
  failure: `status_${status}`,
  retry_after_ms,
})
const unreached: WebhookAnswer = { status: null, failure: 'timeout', retry_after_ms: 0 }

interface Given {
  readonly delivery?: Partial<Delivery>
  readonly answer?: WebhookAnswer
  readonly watch?: Watch | null
  /** Another process began the attempt. */
  readonly isTaken?: boolean
  readonly isEnding?: boolean
}

/** Resolves with what the attempt returned, asked of the store, and sent. */
async function attempt({ delivery: other, answer = accepted, isTaken = false, isEnding = false, ...rest }: Given) {
  const asked: unknown[] = []
  const sent: WebhookRequest[] = []
  const store = {
    get: async () => (rest.watch === undefined ? watch : rest.watch),
    claim: async (...args: unknown[]) => {
      asked.push(['claim', ...args])
      return !isTaken
    },
    settle: async (id: string, attempt: number, outcome: Outcome) => {
      asked.push(['settle', id, attempt, outcome])
      return true
    },
    stop: async (...args: unknown[]) => void asked.push(['stop', ...args]),
  }
  const send = async (request: WebhookRequest) => {
    sent.push(request)
    return answer
  }
  const signal = isEnding ? AbortSignal.abort() : new AbortController().signal
  const options = { store, webhooks: { send }, clock, random: () => 0.5 }
  const result = await deliver(options as never, { ...delivery, ...other }, signal)
  return { result, asked, sent }
}

const CLAIMED = ['claim', 'msg_a', 3, NOW + CUT_OFF_MS]
const noted = ({ status, failure }: WebhookAnswer) => ({ at: NOW, status, failure })
const pending = (answer: WebhookAnswer, next_at: number) => ({
  state: 'pending',
  failed: 3,
  next_at,
  last: noted(answer),
})
const dead = (answer: WebhookAnswer, failed = 3) => ({ state: 'dead', failed, next_at: null, last: noted(answer) })
const STOPPED = ['stop', 'watch_a', 'receiver-gone']

const cases: Readonly<Record<string, Given & { end: string; outcome: object; stops?: true }>> = {
  'an event that arrives is delivered, and its failures are forgotten': {
    end: 'delivered',
    outcome: { state: 'delivered', failed: 0, next_at: null, last: noted(accepted) },
  },
  'a rejected event is sent again after the third interval': {
    answer: rejected(500),
    end: 'failed',
    outcome: pending(rejected(500), NOW + 30 * MINUTE),
  },
  'an event that does not arrive is sent again': {
    answer: unreached,
    end: 'failed',
    outcome: pending(unreached, NOW + 30 * MINUTE),
  },
  'an event is sent again not before the receiver asks for it': {
    answer: rejected(429, 45 * MINUTE),
    end: 'failed',
    outcome: pending(rejected(429), NOW + 45 * MINUTE),
  },
  'a receiver may ask for an hour at most': {
    answer: rejected(503, 300 * MINUTE),
    end: 'failed',
    outcome: pending(rejected(503), NOW + 60 * MINUTE),
  },
  'an event is given up after the last attempt': {
    delivery: { failed: 9 },
    answer: rejected(500),
    end: 'dead',
    outcome: dead(rejected(500), 10),
  },
  'a receiver that is gone ends the event and the watch': {
    answer: rejected(410),
    end: 'dead',
    outcome: dead(rejected(410)),
    stops: true,
  },
  'a test that is rejected is not sent again': {
    delivery: { type: 'watch.test' },
    answer: rejected(500),
    end: 'dead',
    outcome: dead(rejected(500)),
  },
  'a test that does not arrive is not sent again': {
    delivery: { type: 'watch.test' },
    answer: unreached,
    end: 'dead',
    outcome: dead(unreached),
  },
  'an event that arrives while the process ends is delivered': {
    isEnding: true,
    end: 'delivered',
    outcome: { state: 'delivered', failed: 0, next_at: null, last: noted(accepted) },
  },
}

describe('an attempt to deliver an event', () => {
  for (const [title, { end, outcome, stops, ...given }] of Object.entries(cases))
    it(title, async () => {
      const { result, asked } = await attempt(given)
      const { status, failure } = given.answer ?? accepted
      assert.deepEqual(result, { watch: 'watch_a', delivery: 'msg_a', attempt: 4, end, status, failure })
      assert.deepEqual(asked, [CLAIMED, ['settle', 'msg_a', 4, outcome], ...(stops ? [STOPPED] : [])])
    })

  it('is signed, and carries its number', async () => {
    const { sent } = await attempt({})
    const [{ url, headers, body }] = sent as [WebhookRequest]
    assert.deepEqual([url, headers['webhook-attempt'], headers['webhook-id']], [watch.notify, '4', 'msg_a'])
    const timestamp = `${Math.floor(NOW / 1_000)}`
    assert.equal(headers['webhook-timestamp'], timestamp)
    const signature = new Webhook(watch.secret).sign('msg_a', new Date(NOW), body)
    assert.equal(headers['webhook-signature'], signature)
  })

  it('sends nothing when another process began it', async () => {
    const { result, asked, sent } = await attempt({ isTaken: true })
    assert.deepEqual([result, asked, sent], [null, [CLAIMED], []])
  })

  it('sends nothing of a watch that is gone, and gives the event up', async () => {
    const { result, asked, sent } = await attempt({ watch: null })
    const last = { at: NOW, status: null, failure: 'watch_gone' }
    const outcome = { state: 'dead', failed: 2, next_at: null, last }
    assert.deepEqual([result, asked, sent], [null, [CLAIMED, ['settle', 'msg_a', 4, outcome]], []])
  })

  it('decides nothing when the process ends before an answer', async () => {
    const { result, asked, sent } = await attempt({ isEnding: true, answer: unreached })
    assert.deepEqual([result, asked, sent.length], [null, [CLAIMED], 1])
  })
})

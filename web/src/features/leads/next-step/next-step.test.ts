import { describe, expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import { buildLeadDetail, buildMessage } from '@/testing/builders'
import { buildJob } from '@/testing/job-builders'
import { buildEstimate, buildInvoice, buildMoney } from '@/testing/paper-builders'
import { getNextStep, type LeadFacts } from './next-step'
import { getQuickActionReasons } from './quick-actions-sheet'
import { describeStep } from './step-words'

type Lead = Partial<Schema['LeadDetail']>

const CHICAGO = 'America/Chicago'
const NOW = Date.parse('2026-11-20T18:00:00.000Z')
const TODAY = '2026-11-20T21:00:00.000Z'
const promise = {
  words: 'within 24 hours',
  madeAt: '2026-11-20T15:00:00.000Z',
  dueAt: '2026-11-20T20:15:00.000Z',
  warnAt: '2026-11-20T19:30:00.000Z',
  answeredAt: null,
  state: 'open',
} as const

const buildFacts = (parts: Partial<LeadFacts> = {}): LeadFacts => ({
  estimates: [],
  jobs: [],
  money: buildMoney(),
  hasCrews: true,
  ...parts,
})
const answered = { promise: { ...promise, state: 'kept', answeredAt: TODAY } } as const
const [open, approved, declined, expired] = (['open', 'approved', 'declined', 'expired'] as const).map((status) =>
  buildEstimate({ status }),
)
const estimates = (...list: (Schema['EstimateView'] | undefined)[]) => ({
  estimates: list.flatMap((estimate) => estimate ?? []),
})
const planned = buildJob({ date: TODAY, endsAt: '2026-11-20T23:00:00.000Z', crewId: 'c1', crew: 'North crew' })
const undated = buildJob({ value: 900 })
const completed = buildJob({ status: 'Completed', value: 450 })
const invoice = buildInvoice({ balance: 450, total: 450 })
const draft = buildInvoice({ status: 'draft', total: 450 })
const review = buildMessage({ kind: 'review_request', status: 'sent' })

/** State, lead, facts, kind of the step, its title, its button, and the other buttons. */
const CASES: [string, Lead, Partial<LeadFacts>, string, string, string?, ...string[]][] = [
  [
    'new with a promise',
    { promise },
    {},
    'answer',
    'They wait for your answer',
    'Answer by 2:15 PM',
    'Mark as answered',
    'No reply needed',
  ],
  [
    'promise of another day',
    { promise: { ...promise, dueAt: '2026-11-23T15:00:00.000Z', warnAt: '2026-11-23T14:00:00.000Z' } },
    {},
    'answer',
    'They wait for your answer',
    'Answer by Mon 9:00 AM',
    'Mark as answered',
    'No reply needed',
  ],
  [
    'late promise',
    { promise: { ...promise, dueAt: '2026-11-20T17:00:00.000Z', state: 'broken' } },
    {},
    'answer',
    'Your answer is late',
    'Answer now',
    'Mark as answered',
    'No reply needed',
  ],
  [
    'missed call',
    { promise, form: 'call' },
    {},
    'call_back',
    'They called and wait for your call',
    'Call back by 2:15 PM',
    'Mark as answered',
    'No reply needed',
  ],
  [
    'asked again since the estimate',
    { promise: { ...promise, madeAt: '2026-11-20T17:00:00.000Z' }, stage: 'Quoted' },
    estimates(approved),
    'answer',
    'They wait for your answer',
    'Answer by 2:15 PM',
    'Mark as answered',
    'No reply needed',
  ],
  [
    'answered by the estimate',
    { promise, stage: 'Quoted' },
    estimates(approved),
    'schedule',
    'The estimate is approved',
    'Schedule',
  ],
  ['answered', answered, {}, 'send_estimate', 'No estimate yet', 'Send an estimate', 'Schedule'],
  ['without a promise', {}, {}, 'send_estimate', 'No estimate yet', 'Send an estimate', 'Schedule'],
  [
    'no reply needed',
    { promise: { ...promise, state: 'released' } },
    {},
    'lost',
    'No reply needed',
    'Send an estimate',
  ],
  [
    'sent',
    { ...answered, stage: 'Quoted' },
    estimates(open),
    'await_approval',
    'Waiting for their answer since today 10:00 AM',
    'Remind them',
    'Schedule',
  ],
  [
    'sent but held back',
    { stage: 'Quoted' },
    { estimates: [buildEstimate({ unsent: 'Waiting to send: it is night there' })] },
    'await_approval',
    'The estimate has not left yet',
    'Remind them',
    'Schedule',
  ],
  [
    'quoted by hand',
    { stage: 'Quoted', quotedTotal: 80 },
    {},
    'await_approval',
    'Waiting for their answer',
    'Remind them',
    'Schedule',
  ],
  [
    'expired',
    { stage: 'Quoted' },
    estimates(expired),
    'send_estimate',
    'The estimate has expired',
    'Send an estimate',
    'Schedule',
  ],
  ['declined', { stage: 'Quoted' }, estimates(declined), 'lost', 'They declined the estimate', 'Send a new estimate'],
  ['approved', { stage: 'Quoted' }, estimates(open, approved), 'schedule', 'The estimate is approved', 'Schedule'],
  [
    'approved with a deposit',
    { stage: 'Quoted' },
    { ...estimates(approved), money: buildMoney({ depositDue: 375, owed: 1250 }) },
    'schedule',
    'The estimate is approved',
    'Schedule',
    'Collect deposit $375',
  ],
  [
    'approved, its job has no time',
    {},
    { ...estimates(approved), jobs: [undated] },
    'schedule',
    'The job has no time yet',
    'Schedule',
  ],
  [
    'change order approved only',
    {},
    { estimates: [buildEstimate({ status: 'approved', jobId: 'j1' })] },
    'send_estimate',
    'No estimate yet',
    'Send an estimate',
    'Schedule',
  ],
  [
    'approved, job cancelled',
    {},
    { ...estimates(approved), jobs: [buildJob({ status: 'Cancelled' })] },
    'schedule',
    'The estimate is approved',
    'Schedule',
  ],
  ['scheduled by hand', { stage: 'Scheduled' }, {}, 'schedule', 'Nothing is scheduled', 'Schedule'],
  [
    'scheduled',
    { stage: 'Scheduled' },
    { jobs: [undated, planned] },
    'visit',
    'Visit Today 3:00 PM – 5:00 PM',
    'Open the job',
  ],
  [
    'scheduled without a crew',
    { stage: 'Scheduled' },
    { jobs: [{ ...planned, crewId: null }] },
    'assign_crew',
    'Visit Today 3:00 PM',
    'Assign a crew',
    'Open the job',
  ],
  [
    'scheduled, the business has no crews',
    { stage: 'Scheduled' },
    { jobs: [{ ...planned, crewId: null }], hasCrews: false },
    'visit',
    'Visit Today 3:00 PM – 5:00 PM',
    'Open the job',
  ],
  [
    'under way',
    { stage: 'Scheduled' },
    { jobs: [planned, buildJob({ status: 'In Progress' })] },
    'in_progress',
    'Work in progress',
    'Open the job',
  ],
  [
    'done with a draft',
    { stage: 'Done' },
    { money: buildMoney({ invoices: [draft] }) },
    'send_invoice',
    'The work is done',
    'Send invoice $450',
    'Mark as Paid',
  ],
  [
    'done, not billed',
    { stage: 'Done' },
    { money: buildMoney({ agreed: 450, owed: 450 }) },
    'send_invoice',
    'The work is done',
    'Send invoice $450',
    'Mark as Paid',
  ],
  [
    'done, only the job has a value',
    { stage: 'Done' },
    { jobs: [completed] },
    'send_invoice',
    'The work is done',
    'Send invoice $450',
    'Mark as Paid',
  ],
  ['done, no amount known', { stage: 'Done' }, {}, 'send_invoice', 'The work is done', 'Send invoice', 'Mark as Paid'],
  [
    'done and billed',
    { stage: 'Done' },
    { money: buildMoney({ invoices: [invoice], owed: 450, invoiced: 450 }) },
    'collect',
    'Waiting for payment',
    'Collect $450',
    'Remind them',
    'Open the invoice',
  ],
  [
    'overdue',
    { stage: 'Done' },
    { money: buildMoney({ invoices: [invoice, { ...invoice, status: 'overdue', daysOverdue: 3, balance: 50 }] }) },
    'collect',
    'Payment is 3 days overdue',
    'Collect $500',
    'Remind them',
  ],
  [
    'billed before the work',
    { stage: 'Quoted' },
    { ...estimates(open), money: buildMoney({ invoices: [invoice] }) },
    'collect',
    'Waiting for payment',
    'Collect $450',
    'Remind them',
    'Open the invoice',
  ],
  ['paid', { stage: 'Paid' }, { jobs: [completed] }, 'request_review', 'Everything is paid', 'Request Review'],
  [
    'paid before the work',
    { stage: 'Paid' },
    { jobs: [planned] },
    'visit',
    'Visit Today 3:00 PM – 5:00 PM',
    'Open the job',
  ],
  ['paid and asked', { stage: 'Paid', messages: [review] }, {}, 'complete', 'Nothing is left to do'],
  [
    'paid, the request failed',
    { stage: 'Paid', messages: [{ ...review, status: 'failed' }] },
    {},
    'request_review',
    'Everything is paid',
    'Request Review',
  ],
]

describe('next step of a lead', () => {
  it.each(CASES)('%s', (_state, parts, facts, kind, title, button, ...others) => {
    const lead = buildLeadDetail(parts)
    const step = getNextStep(lead, buildFacts(facts))
    expect(step.kind).toBe(kind)
    if (step.kind === 'held') throw new Error('It is not held')
    const words = describeStep(step, lead, { now: NOW, timeZone: CHICAGO })
    expect([words.title, words.main?.label, ...words.others.map(({ label }) => label)]).toEqual([
      title,
      button,
      ...others,
    ])
  })

  it('held: comes before everything', () => {
    const lead = buildLeadDetail({ heldReason: 'it looks like a robot', promise, stage: 'Done' })
    expect(getNextStep(lead, buildFacts())).toEqual({ kind: 'held', reason: 'it looks like a robot' })
  })

  it('names what it is about', () => {
    const detail = (parts: Lead, facts: Partial<LeadFacts>) => {
      const lead = buildLeadDetail(parts)
      const step = getNextStep(lead, buildFacts(facts))
      return step.kind === 'held' ? undefined : describeStep(step, lead, { now: NOW, timeZone: CHICAGO }).detail
    }
    expect(detail({}, estimates(open))).toBe("EST-1001, $1,250. They haven't opened it yet.")
    expect(detail({}, { estimates: [buildEstimate({ viewedAt: TODAY })] })).toBe('EST-1001, $1,250. They opened it.')
    expect(detail({}, { estimates: [buildEstimate({ status: 'declined', declineReason: 'Too much' })] })).toBe(
      'Too much',
    )
    expect(detail({}, { ...estimates(approved), money: buildMoney({ depositDue: 375 }) })).toBe(
      '$1,250. A deposit of $375 is due.',
    )
    expect(detail({}, { jobs: [planned] })).toBe('North crew.')
  })
})

describe('quick actions that make no sense yet', () => {
  it.each([
    ['New', {}, ['reminder', 'payment', 'review']],
    ['Quoted', { ...estimates(open), money: buildMoney({ owed: 1250 }) }, ['review']],
    ['Scheduled', { jobs: [planned] }, ['payment', 'review']],
    ['Done', { money: buildMoney({ owed: 450, invoices: [invoice] }) }, []],
    ['Paid', {}, ['reminder', 'payment']],
  ] as const)('%s: they say why', (stage, facts, names) =>
    expect(Object.keys(getQuickActionReasons({ stage }, buildFacts(facts)))).toEqual(names),
  )

  it('unknown facts: no reason is made up', () =>
    expect(getQuickActionReasons({ stage: 'New' }, undefined)).toEqual({}))
})

import type { Schema } from '@/api/client'
import { buildId } from './builders'

const WEEK = { from: '2026-11-16', to: '2026-11-22' }
const toSpanQuery = ({ from, to }: { from: string; to: string }) => `from=${from}&to=${to}`

const buildFigure = (value: number, rows: string) => ({ value, rows })

export function buildSpan(parts: Partial<Schema['SpanFigures']> = {}): Schema['SpanFigures'] {
  const days = toSpanQuery({ ...WEEK, ...parts })
  const [leads, jobs, money] = [
    `/app/leads?${days}`,
    `/app/jobs?status=completed&done=1&${days}`,
    `/app/payments?${days}`,
  ]
  const waits = { count: 0, medianMinutes: null, p90Minutes: null }
  const spared = { actions: 0, minutesEach: 5, hours: 0 }
  return {
    ...WEEK,
    newLeads: buildFigure(0, leads),
    autoReplied: buildFigure(0, `${leads}&answered=auto`),
    autoReplyRate: 0,
    answers: {
      auto: waits,
      human: waits,
      averageMinutes: null,
      humanWithinFiveMinutes: null,
      humanWithinAnHour: null,
      rows: `${leads}&answered=any`,
    },
    calls: { missed: buildFigure(0, leads), recovered: buildFigure(0, leads) },
    promises: { kept: buildFigure(0, `${leads}&promise=kept`), broken: buildFigure(0, `${leads}&promise=broken`) },
    booked: buildFigure(0, leads),
    quotes: {
      sent: buildFigure(0, leads),
      sentTotal: buildFigure(0, leads),
      won: buildFigure(0, leads),
      wonTotal: buildFigure(0, leads),
      lost: buildFigure(0, leads),
    },
    jobsDone: buildFigure(0, jobs),
    jobRevenue: buildFigure(0, jobs),
    paidJobs: buildFigure(0, `${leads}&by=paid`),
    unpaidJobs: buildFigure(0, '/app/invoices?status=unpaid'),
    unpaidTotal: buildFigure(0, `/app/invoices?status=unpaid&${days}`),
    collected: buildFigure(0, money),
    refunded: buildFigure(0, money),
    revenue: buildFigure(0, money),
    recovered: buildFigure(0, `/app/recovered?${days}`),
    margin: { amount: 0, percent: 65, cost: 0, overhead: 0, isEstimate: true, rows: jobs },
    timeSaved: { hours: 0, autoReplies: spared, followUps: spared, scheduling: spared, rows: `${leads}&by=automation` },
    reviews: {
      asked: buildFigure(0, `/app/reviews?show=asked&${days}`),
      received: buildFigure(0, `/app/reviews?${days}`),
      average: null,
    },
    ...parts,
  }
}

const monthsAgo = (ago: number) => new Date(Date.UTC(2026, 10 - ago, 1)).toISOString().slice(0, 10)
const lastDayOfMonth = (first: string) =>
  new Date(Date.UTC(Number(first.slice(0, 4)), Number(first.slice(5, 7)), 0)).toISOString().slice(0, 10)

export function buildMonth(month: string, parts: Partial<Schema['MonthFigures']> = {}): Schema['MonthFigures'] {
  return {
    month,
    revenue: 0,
    cost: 0,
    overhead: 0,
    profit: 0,
    isEstimate: false,
    rows: `/app/payments?${toSpanQuery({ from: month, to: lastDayOfMonth(month) })}`,
    ...parts,
  }
}

/** Oldest first. */
export function buildMonths(
  of: (at: number) => Partial<Schema['MonthFigures']> = () => ({}),
): Schema['MonthFigures'][] {
  return Array.from({ length: 12 }, (_, at) => buildMonth(monthsAgo(11 - at), of(at)))
}

const noAgeing = { count: 0, total: 0, rows: '/app/invoices?status=overdue' }

export const noReceivables: Schema['Receivables'] = {
  open: { ...noAgeing, rows: '/app/invoices?status=unpaid' },
  overdue: noAgeing,
  to30Days: { ...noAgeing, rows: '/app/invoices?status=overdue&overdueTo=30' },
  to60Days: { ...noAgeing, rows: '/app/invoices?status=overdue&overdueFrom=31&overdueTo=60' },
  over30Days: { ...noAgeing, rows: '/app/invoices?status=overdue&overdueFrom=31' },
  over60Days: { ...noAgeing, rows: '/app/invoices?status=overdue&overdueFrom=61' },
}

export function buildKpis(parts: Partial<Schema['Kpis']> = {}): Schema['Kpis'] {
  return {
    businessId: buildId(),
    timezone: 'America/Chicago',
    asOf: '2026-11-22T18:00:00.000Z',
    today: '2026-11-22',
    isCounted: true,
    lastCheck: null,
    week: buildSpan(),
    priorWeek: buildSpan({ from: '2026-11-09', to: '2026-11-15' }),
    month: buildSpan({ from: '2026-11-01', to: '2026-11-22' }),
    priorMonth: buildSpan({ from: '2026-10-01', to: '2026-10-31' }),
    receivables: noReceivables,
    months: buildMonths(),
    sources: [],
    ...parts,
  }
}

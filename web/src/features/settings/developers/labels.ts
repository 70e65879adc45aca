// Labels of scopes and events.
import type { ApiScope, WebhookEvent } from './queries'

/** Each room, with what looking and changing ask for, and what looking shows. */
export const API_SCOPES = [
  {
    resource: 'Leads',
    read: 'leads:read',
    write: 'leads:write',
    shows:
      'Names, phones, emails, addresses, photos, amounts quoted and collected. What they asked for, also where they texted it. No later messages.',
  },
  {
    resource: 'Customers',
    read: 'customers:read',
    write: 'customers:write',
    shows: 'Names, phones, emails, addresses, notes, amounts quoted, paid and owed. No message text.',
  },
  {
    resource: 'Jobs',
    read: 'jobs:read',
    write: 'jobs:write',
    shows: 'Names, phones, emails, addresses, notes, gate codes, photos, times, crews and costs.',
  },
  {
    resource: 'Estimates and prices',
    read: 'estimates:read',
    write: 'estimates:write',
    shows: 'Estimates with names and amounts, their PDFs, and your price book.',
  },
  {
    resource: 'Invoices and payments',
    read: 'invoices:read',
    write: 'invoices:write',
    shows: 'Invoices with names and amounts, their PDFs, and payments.',
  },
  {
    resource: 'Messages',
    read: 'messages:read',
    write: 'messages:write',
    shows: 'Every text and email with its words, also those in leads.',
  },
  {
    resource: 'Reviews',
    read: 'reviews:read',
    write: 'reviews:write',
    shows: 'Reviews with names, and your replies.',
  },
  { resource: 'Figures', read: 'figures:read', write: undefined, shows: 'Counts and sums, no names.' },
] as const satisfies readonly { resource: string; read: ApiScope; write: ApiScope | undefined; shows: string }[]

/** "Leads: look and change, Jobs: look". */
export function describeScopes(scopes: readonly ApiScope[]): string {
  return API_SCOPES.flatMap(({ resource: room, read, write }) => {
    if (write && scopes.includes(write)) return [`${room}: look and change`]
    return scopes.includes(read) ? [`${room}: look`] : []
  }).join(', ')
}

export const WEBHOOK_EVENTS = {
  'lead.created': 'A request comes in',
  'lead.stage_changed': 'A lead moves to another stage',
  'message.received': 'A customer writes',
  'estimate.sent': 'An estimate goes out',
  'estimate.approved': 'An estimate is approved',
  'estimate.declined': 'An estimate is declined',
  'job.created': 'A job is booked',
  'job.scheduled': 'A job’s time or crew changes',
  'job.completed': 'A job is done',
  'job.cancelled': 'A job is cancelled',
  'invoice.sent': 'An invoice goes out',
  'invoice.voided': 'An invoice is voided',
  'payment.recorded': 'A payment comes in',
  'payment.reversed': 'A payment is undone or refunded',
  'review.received': 'A review comes in',
} as const satisfies Record<WebhookEvent, string>

export const WEBHOOK_EVENT_NAMES = Object.keys(WEBHOOK_EVENTS) as WebhookEvent[]

const isWebhookEvent = (name: string): name is WebhookEvent => name in WEBHOOK_EVENTS

/** Of a call in the log, which may be a test. */
export const getEventLabel = (name: string): string => (isWebhookEvent(name) ? WEBHOOK_EVENTS[name] : 'Test')

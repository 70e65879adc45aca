// What a key may do and what a webhook is told, in the words of the business.
import type { ApiScope, WebhookEvent } from './queries'

/** Each room, with what looking and changing ask for. */
export const ROOMS = [
  { room: 'Leads', read: 'leads:read', write: 'leads:write' },
  { room: 'Customers', read: 'customers:read', write: 'customers:write' },
  { room: 'Jobs', read: 'jobs:read', write: 'jobs:write' },
  { room: 'Estimates and prices', read: 'estimates:read', write: 'estimates:write' },
  { room: 'Invoices and payments', read: 'invoices:read', write: 'invoices:write' },
  { room: 'Messages', read: 'messages:read', write: 'messages:write' },
  { room: 'Reviews', read: 'reviews:read', write: 'reviews:write' },
  { room: 'Figures', read: 'figures:read', write: undefined },
] as const satisfies readonly { room: string; read: ApiScope; write: ApiScope | undefined }[]

/** "Leads: look and change, Jobs: look". */
export function scopeWords(scopes: readonly ApiScope[]): string {
  return ROOMS.flatMap(({ room, read, write }) => {
    if (write && scopes.includes(write)) return [`${room}: look and change`]
    return scopes.includes(read) ? [`${room}: look`] : []
  }).join(', ')
}

export const EVENTS = {
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
  'payment.reversed': 'A payment is taken back or refunded',
  'review.received': 'A review comes in',
} as const satisfies Record<WebhookEvent, string>

export const EVENT_NAMES = Object.keys(EVENTS) as WebhookEvent[]

const isEvent = (name: string): name is WebhookEvent => name in EVENTS

/** Of a call in the log, which may be a test. */
export const eventWords = (name: string): string => (isEvent(name) ? EVENTS[name] : 'Test')

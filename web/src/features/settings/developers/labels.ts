// Labels of scopes and events.
import type { ApiScope, WebhookEvent } from './queries'

/** Each room, with what looking and changing ask for. */
export const API_SCOPES = [
  { resource: 'Leads', read: 'leads:read', write: 'leads:write' },
  { resource: 'Customers', read: 'customers:read', write: 'customers:write' },
  { resource: 'Jobs', read: 'jobs:read', write: 'jobs:write' },
  { resource: 'Estimates and prices', read: 'estimates:read', write: 'estimates:write' },
  { resource: 'Invoices and payments', read: 'invoices:read', write: 'invoices:write' },
  { resource: 'Messages', read: 'messages:read', write: 'messages:write' },
  { resource: 'Reviews', read: 'reviews:read', write: 'reviews:write' },
  { resource: 'Figures', read: 'figures:read', write: undefined },
] as const satisfies readonly { resource: string; read: ApiScope; write: ApiScope | undefined }[]

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

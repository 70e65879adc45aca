// Labels of scopes and events.
import { t } from '@/lib/i18n'
import type { ApiScope, WebhookEvent } from './queries'

/** Each room, with what looking and changing ask for, and what looking shows. */
export const API_SCOPES = [
  {
    resource: t('Leads'),
    read: 'leads:read',
    write: 'leads:write',
    shows: t(
      'Names, phones, emails, addresses, photos, amounts quoted and collected. What they asked for, also where they texted it. No later messages.',
    ),
  },
  {
    resource: t('Customers'),
    read: 'customers:read',
    write: 'customers:write',
    shows: t('Names, phones, emails, addresses, notes, amounts quoted, paid and owed. No message text.'),
  },
  {
    resource: t('Jobs'),
    read: 'jobs:read',
    write: 'jobs:write',
    shows: t('Names, phones, emails, addresses, notes, gate codes, photos, times, crews and costs.'),
  },
  {
    resource: t('Estimates and prices'),
    read: 'estimates:read',
    write: 'estimates:write',
    shows: t('Estimates with names and amounts, their PDFs, and your price book.'),
  },
  {
    resource: t('Invoices and payments'),
    read: 'invoices:read',
    write: 'invoices:write',
    shows: t('Invoices with names and amounts, their PDFs, and payments.'),
  },
  {
    resource: t('Messages'),
    read: 'messages:read',
    write: 'messages:write',
    shows: t('Every text and email with its words, also those in leads.'),
  },
  {
    resource: t('Reviews'),
    read: 'reviews:read',
    write: 'reviews:write',
    shows: t('Reviews with names, and your replies.'),
  },
  { resource: t('Figures'), read: 'figures:read', write: undefined, shows: t('Counts and sums, no names.') },
] as const satisfies readonly { resource: string; read: ApiScope; write: ApiScope | undefined; shows: string }[]

/** "Leads: look and change, Jobs: look". */
export function describeScopes(scopes: readonly ApiScope[]): string {
  return API_SCOPES.flatMap(({ resource: room, read, write }) => {
    if (write && scopes.includes(write)) return [t('{room}: look and change', { room })]
    return scopes.includes(read) ? [t('{room}: look', { room })] : []
  }).join(', ')
}

export const WEBHOOK_EVENTS = {
  'lead.created': t('A request comes in'),
  'lead.stage_changed': t('A lead moves to another stage'),
  'message.received': t('A customer writes'),
  'estimate.sent': t('An estimate goes out'),
  'estimate.approved': t('An estimate is approved'),
  'estimate.declined': t('An estimate is declined'),
  'job.created': t('A job is booked'),
  'job.scheduled': t('A job’s time or crew changes'),
  'job.completed': t('A job is done'),
  'job.cancelled': t('A job is cancelled'),
  'invoice.sent': t('An invoice goes out'),
  'invoice.voided': t('An invoice is voided'),
  'payment.recorded': t('A payment comes in'),
  'payment.reversed': t('A payment is undone or refunded'),
  'review.received': t('A review comes in'),
} as const satisfies Record<WebhookEvent, string>

export const WEBHOOK_EVENT_NAMES = Object.keys(WEBHOOK_EVENTS) as WebhookEvent[]

const isWebhookEvent = (name: string): name is WebhookEvent => name in WEBHOOK_EVENTS

/** Of a call in the log, which may be a test. */
export const getEventLabel = (name: string): string => (isWebhookEvent(name) ? WEBHOOK_EVENTS[name] : t('Test'))

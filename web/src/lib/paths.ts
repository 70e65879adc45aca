// Paths of the app.
import { DEMO_PATH } from './demo'
import type { SettingsGroup, SettingsTopicSlug } from './settings-topics'

export const paths = {
  /** Site or app, decided by the server: plain links only. */
  home: '/',
  login: (next?: string) => (next ? `/login?next=${encodeURIComponent(next)}` : '/login'),
  register: '/register',
  forgotten: '/forgot-password',
  reset: '/reset-password',
  account: '/app/account',
  checkout: '/checkout',
  /** Full page load. */
  demo: DEMO_PATH,
  publicLead: (org?: string) => (org ? `/lead?org=${encodeURIComponent(org)}` : '/lead'),
  publicQuote: (org?: string) => (org ? `/quote?org=${encodeURIComponent(org)}` : '/quote'),
  app: '/app',
  /** The guided start, at one of its questions. */
  start: (step?: string) => (step ? `/app/start?step=${encodeURIComponent(step)}` : '/app/start'),
  leads: '/app/leads',
  jobs: '/app/jobs',
  job: (id: string) => `/app/jobs/${encodeURIComponent(id)}`,
  schedule: '/app/schedule',
  today: '/app/today',
  /** Crew view of a job. */
  fieldJob: (id: string) => `/app/today/${encodeURIComponent(id)}`,
  join: (token: string) => `/join/${encodeURIComponent(token)}`,
  invoices: '/app/invoices',
  payments: '/app/payments',
  recovered: '/app/recovered',
  invoice: (id: string) => `/app/invoices/${encodeURIComponent(id)}`,
  reviews: '/app/reviews',
  review: (id: string) => `/app/reviews?review=${encodeURIComponent(id)}`,
  reviewAsks: (customerId?: string) =>
    `/app/reviews?tab=asked${customerId ? `&customer=${encodeURIComponent(customerId)}` : ''}`,
  customers: '/app/customers',
  customer: (id: string) => `/app/customers/${encodeURIComponent(id)}`,
  billing: '/app/billing',
  inbox: '/app/inbox',
  thread: (customerId: string) => `/app/inbox/${encodeURIComponent(customerId)}`,
  /** The index of the settings, or the page of one topic, or of one part of it. */
  settings: (topic?: SettingsTopicSlug, part?: string) =>
    ['/app/settings', topic, part].filter((step) => step !== undefined).join('/'),
  settingsGroup: (group: SettingsGroup) => `/app/settings?tab=${group}`,
  textingNumber: '/app/settings/texting-number',
  admin: (tab?: 'clients') => (tab ? `/app/admin?tab=${tab}` : '/app/admin'),
  lead: (id: string) => `/app/leads/${encodeURIComponent(id)}`,
  /** Opens the manual-text sheet. */
  leadByHand: (id: string) => `/app/leads/${encodeURIComponent(id)}?do=text`,
  /** Older path of the lead page. */
  leadShort: (id: string) => `/lead/${encodeURIComponent(id)}`,
} as const

export const requiresSignIn = (path: string) => /^\/(app|lead)([/?#]|$)/.test(path)

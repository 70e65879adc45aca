// Every address of the app. No screen writes one by hand.
import { DEMO_PATH } from './demo'

export const paths = {
  /** The public site, or the app for who is signed in: the server chooses, so visitors get there by a plain link. */
  home: '/',
  login: (next?: string) => (next ? `/login?next=${encodeURIComponent(next)}` : '/login'),
  register: '/register',
  /** Where a link for a new password is asked for, and where it leads. */
  forgotten: '/forgot-password',
  reset: '/reset-password',
  /** One's own account: password, second factor, devices. */
  account: '/app/account',
  /** Where who wants the product begins. */
  checkout: '/checkout',
  /** Loaded as a page of its own, by a plain link: it is another app. */
  demo: DEMO_PATH,
  publicLead: (org?: string) => (org ? `/lead?org=${encodeURIComponent(org)}` : '/lead'),
  publicQuote: (org?: string) => (org ? `/quote?org=${encodeURIComponent(org)}` : '/quote'),
  app: '/app',
  leads: '/app/leads',
  jobs: '/app/jobs',
  job: (id: string) => `/app/jobs/${encodeURIComponent(id)}`,
  schedule: '/app/schedule',
  today: '/app/today',
  /** One's own job on site. */
  fieldJob: (id: string) => `/app/today/${encodeURIComponent(id)}`,
  join: (token: string) => `/join/${encodeURIComponent(token)}`,
  invoices: '/app/invoices',
  payments: '/app/payments',
  /** Money that came after automatic messages, on some days. */
  recovered: '/app/recovered',
  invoice: (id: string) => `/app/invoices/${encodeURIComponent(id)}`,
  reviews: '/app/reviews',
  /** One review by itself, for who was told of it. */
  review: (id: string) => `/app/reviews?review=${encodeURIComponent(id)}`,
  /** Who was asked for a review, of all or of one customer. */
  reviewAsks: (customerId?: string) =>
    `/app/reviews?tab=asked${customerId ? `&customer=${encodeURIComponent(customerId)}` : ''}`,
  customers: '/app/customers',
  customer: (id: string) => `/app/customers/${encodeURIComponent(id)}`,
  billing: '/app/billing',
  inbox: '/app/inbox',
  thread: (customerId: string) => `/app/inbox/${encodeURIComponent(customerId)}`,
  settings: (tab?: string) => (tab ? `/app/settings?tab=${encodeURIComponent(tab)}` : '/app/settings'),
  /** The card of the number that texts leave from. */
  textingNumber: '/app/settings?tab=organization#texting',
  /** Security administration, at one of its tabs. */
  admin: (tab?: 'clients') => (tab ? `/app/admin?tab=${tab}` : '/app/admin'),
  lead: (id: string) => `/app/leads/${encodeURIComponent(id)}`,
  /** The same, ready to text them from one's own phone. */
  leadByHand: (id: string) => `/app/leads/${encodeURIComponent(id)}?do=text`,
  /** The list's links keep this older form; it shows the same page. */
  leadShort: (id: string) => `/lead/${encodeURIComponent(id)}`,
} as const

/** Where only signed-in people have a page: the app, and the older address of a lead. */
export const isBehindTheDoor = (path: string) => /^\/(app|lead)([/?#]|$)/.test(path)

// Topics of the settings, by group. Also for the command palette.

export type SettingsGroup = 'organization' | 'automation' | 'communications' | 'billing' | 'control-panel'

type TopicShape = {
  /** Last part of the page's path. */
  slug: string
  group: SettingsGroup
  /** Name in lists, and the heading of the page. */
  label: string
  /** A name of `ui/icon`. */
  icon: string
  /** What it is for, where its present value is not known. */
  about: string
  /** Words by which people look for it, besides the label. */
  keywords: readonly string[]
  /** Only the owner may see or change it. */
  isForOwner?: boolean
}

export const SETTINGS_GROUPS = [
  { name: 'organization', label: 'Organization', icon: 'briefcase' },
  { name: 'automation', label: 'Automation', icon: 'sparkle' },
  { name: 'communications', label: 'Communications', icon: 'message' },
  { name: 'billing', label: 'Billing', icon: 'dollar' },
  { name: 'control-panel', label: 'Control Panel', icon: 'wrench' },
] as const satisfies readonly { name: SettingsGroup; label: string; icon: string }[]

export const SETTINGS_TOPICS = [
  {
    slug: 'business',
    group: 'organization',
    label: 'Business info',
    icon: 'briefcase',
    about: 'Name, trade, phone, links and address',
    keywords: ['name', 'industry', 'trade', 'phone', 'review link', 'google', 'booking link', 'time zone', 'address'],
  },
  {
    slug: 'look',
    group: 'organization',
    label: 'Logo and color',
    icon: 'sparkle',
    about: 'What customers see on pages, emails and PDFs',
    keywords: ['look', 'brand', 'logo', 'color', 'colour', 'powered by', 'form', 'pages', 'design'],
  },
  {
    slug: 'texting-number',
    group: 'organization',
    label: 'Texting number',
    icon: 'phone',
    about: 'The number your texts leave from',
    keywords: ['phone number', 'sms', 'text', 'twilio', 'call forwarding', 'toll-free', 'verify', 'claim', 'code'],
  },
  {
    slug: 'hours',
    group: 'organization',
    label: 'Business hours',
    icon: 'clock',
    about: 'When you are open, and holidays',
    keywords: ['open', 'closed', 'holiday', 'weekend', 'opening', 'closed dates', 'night', 'after hours'],
  },
  {
    slug: 'online-booking',
    group: 'organization',
    label: 'Online booking',
    icon: 'calendar',
    about: 'Let customers pick a time',
    keywords: ['schedule', 'appointment', 'book', 'zip', 'area', 'arrival window', 'notice', 'buffer', 'visit length'],
  },
  {
    slug: 'people',
    group: 'organization',
    label: 'People',
    icon: 'user',
    about: 'Who signs in, and what they may do',
    keywords: ['team', 'invite', 'user', 'office', 'owner', 'role', 'staff', 'employee', 'access', 'remove'],
  },
  {
    slug: 'new-requests',
    group: 'organization',
    label: 'Who gets new requests',
    icon: 'leads',
    about: 'Leads by ZIP code or in turns',
    keywords: ['lead owner', 'assign', 'round robin', 'turns', 'territory', 'zip'],
  },
  {
    slug: 'crews',
    group: 'organization',
    label: 'Crews',
    icon: 'wrench',
    about: 'Who does the work, and when',
    keywords: ['technician', 'truck', 'team', 'calendar', 'members', 'crew hours', 'bookable'],
  },
  {
    slug: 'alerts',
    group: 'organization',
    label: 'Alerts and devices',
    icon: 'bell',
    about: 'Alerts on your phone and computer',
    keywords: ['push', 'notification', 'phone', 'sound', 'quiet hours', 'device', 'browser'],
  },
  {
    slug: 'recipients',
    group: 'organization',
    label: 'Recipients',
    icon: 'mail',
    about: 'Who hears about new leads',
    keywords: ['email recipients', 'sms recipients', 'notify', 'who gets alerts', 'alert email', 'alert text'],
  },
  {
    slug: 'notifications',
    group: 'organization',
    label: 'Notification settings',
    icon: 'bell',
    about: 'How often and when you are notified',
    keywords: ['frequency', 'digest', 'summary', 'hourly', 'daily', 'emergency', 'escalation', 'schedule'],
  },
  {
    slug: 'automations',
    group: 'automation',
    label: 'Automations',
    icon: 'sparkle',
    about: 'Turn each of the five automations on or off',
    keywords: ['switch', 'on', 'off', 'lead intake', 'job tracking', 'review collection', 'kpi reporting'],
  },
  {
    slug: 'automatic-replies',
    group: 'automation',
    label: 'Automatic replies',
    icon: 'message',
    about: 'Answers to forms, texts and calls',
    keywords: ['auto-reply', 'auto reply', 'answer', 'night', 'hold replies', 'instant'],
  },
  {
    slug: 'missed-calls',
    group: 'automation',
    label: 'Missed calls',
    icon: 'phone',
    about: 'Which phones ring, and the text after a missed call',
    keywords: ['forward', 'ring', 'text back', 'voicemail', 'emergency words', 'call'],
  },
  {
    slug: 'reminders',
    group: 'automation',
    label: 'Reminders and follow-ups',
    icon: 'clock',
    about: 'Visit reminders and estimate follow-ups',
    keywords: ['visit', 'day before', 'on the way', 'late', 'estimate', 'follow up', 'holdout', 'measured gain'],
  },
  {
    slug: 'review-requests',
    group: 'automation',
    label: 'Review requests',
    icon: 'star',
    about: 'When customers are asked for a review',
    keywords: ['google', 'stars', 'rating', 'ask', 'follow-up', 'reviews from elsewhere', 'key'],
  },
  {
    slug: 'daily-limits',
    group: 'automation',
    label: 'Daily limits',
    icon: 'send',
    about: 'How many texts leave in a day',
    keywords: ['budget', 'limit', 'texts a day', 'pause', 'registration', 'a2p', '10dlc', 'spam', 'fraud', 'sending'],
  },
  {
    slug: 'reports',
    group: 'automation',
    label: 'Figures and reports',
    icon: 'chart',
    about: 'The KPI report, margin and time saved',
    keywords: ['kpi', 'pulse', 'margin', 'overhead', 'profit', 'minutes', 'email report', 'quiet'],
  },
  {
    slug: 'templates',
    group: 'communications',
    label: 'Message templates',
    icon: 'message',
    about: 'The words of your texts and emails',
    keywords: ['wording', 'text', 'email', 'sms', 'spanish', 'english', 'message', 'variables', 'preview', 'template'],
  },
  {
    slug: 'subscription',
    group: 'billing',
    label: 'Plan and billing',
    icon: 'document',
    about: 'Your plan, limits and invoices from Toolbox',
    keywords: ['subscription', 'plan', 'pay', 'invoice history', 'cancel', 'manage billing', 'limits', 'trust level'],
  },
  {
    slug: 'estimates',
    group: 'billing',
    label: 'Estimates',
    icon: 'document',
    about: 'Logo, deposit, tax and terms',
    keywords: ['quote', 'logo', 'deposit', 'tax', 'terms', 'license', 'valid', 'number', 'pdf'],
  },
  {
    slug: 'invoices',
    group: 'billing',
    label: 'Invoices',
    icon: 'dollar',
    about: 'When they are due, and reminders',
    keywords: ['due', 'terms', 'dunning', 'reminder', 'how to pay', 'receipt', 'overdue', 'net 30'],
  },
  {
    slug: 'card-payments',
    group: 'billing',
    label: 'Card payments',
    icon: 'dollar',
    about: 'Take cards through Stripe',
    keywords: ['stripe', 'credit card', 'apple pay', 'payout', 'bank', 'online payment', 'connect'],
  },
  {
    slug: 'price-book',
    group: 'billing',
    label: 'Price book',
    icon: 'document',
    about: 'Prices you use again and again',
    keywords: ['prices', 'items', 'services', 'materials', 'import', 'catalog', 'flat rate'],
  },
  {
    slug: 'tests',
    group: 'control-panel',
    label: 'Test messages',
    icon: 'send',
    about: 'Send yourself an email, a text or the report',
    keywords: ['test email', 'test sms', 'kpi pulse', 'try', 'check'],
  },
  {
    slug: 'system-status',
    group: 'control-panel',
    label: 'System status',
    icon: 'wrench',
    about: 'Whether everything works',
    keywords: ['health', 'operational', 'down', 'error', 'stopped', 'try again', 'five tools'],
  },
  {
    slug: 'data',
    group: 'control-panel',
    label: 'Your data',
    icon: 'download',
    about: 'Export, how long data is kept, offline phones',
    keywords: ['export', 'download', 'retention', 'delete', 'privacy', 'offline', 'csv', 'leave'],
    isForOwner: true,
  },
  {
    slug: 'developers',
    group: 'control-panel',
    label: 'Developers',
    icon: 'external',
    about: 'API keys, webhooks and connections',
    keywords: ['api key', 'webhook', 'zapier', 'integration', 'twilio', 'stripe', 'address', 'endpoint', 'program'],
    isForOwner: true,
  },
] as const satisfies readonly TopicShape[]

export type SettingsTopic = (typeof SETTINGS_TOPICS)[number]
export type SettingsTopicSlug = SettingsTopic['slug']

/** What this role may open. */
export const listSettingsTopics = (isOwner: boolean): readonly SettingsTopic[] =>
  SETTINGS_TOPICS.filter((topic) => isOwner || !('isForOwner' in topic))

export const isSettingsTopic = (slug: string | undefined): slug is SettingsTopicSlug =>
  SETTINGS_TOPICS.some((topic) => topic.slug === slug)

export const isSettingsGroup = (name: string | null): name is SettingsGroup =>
  SETTINGS_GROUPS.some((group) => group.name === name)

const splitWords = (text: string) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u)

const begins = (words: readonly string[], wish: string) => words.some((word) => word.startsWith(wish))

/** Topics in which each typed word begins a word; those whose label holds the first word come first. */
export function findSettingsTopics<T extends TopicShape>(topics: readonly T[], typed: string): T[] {
  const wanted = splitWords(typed).filter((word) => word !== '')
  const [first] = wanted
  if (first === undefined) return []
  const found = topics.filter(({ label, about, keywords }) => {
    const words = splitWords([label, about, ...keywords].join(' '))
    return wanted.every((wish) => begins(words, wish))
  })
  const inLabel = ({ label }: T) => (begins(splitWords(label), first) ? 0 : 1)
  return found.toSorted((a, b) => inLabel(a) - inLabel(b))
}

/** Cards of the former tabs, by the hash that led to them. */
const TOPIC_BY_HASH: Readonly<Record<string, SettingsTopicSlug>> = {
  look: 'look',
  texting: 'texting-number',
  hours: 'hours',
  booking: 'online-booking',
  people: 'people',
  'lead-owners': 'new-requests',
  crews: 'crews',
  alerts: 'alerts',
  told: 'recipients',
  sending: 'daily-limits',
  'review-rules': 'review-requests',
  'review-key': 'review-requests',
  holdout: 'reminders',
  pulse: 'reports',
  calls: 'missed-calls',
  papers: 'estimates',
  prices: 'price-book',
  invoicing: 'invoices',
  cards: 'card-payments',
  figures: 'reports',
  stopped: 'system-status',
}

/** Former tabs that are a page now. The server's links to `money` are about card payments. */
const TOPIC_BY_TAB: Readonly<Record<string, SettingsTopicSlug>> = { money: 'card-payments', developers: 'developers' }

/** The page that an older address of the settings led to; undefined for the index. */
export function findTopicOfOldLink(tab: string | null, hash: string): SettingsTopicSlug | undefined {
  return TOPIC_BY_HASH[hash.replace(/^#/, '')] ?? (tab === null ? undefined : TOPIC_BY_TAB[tab])
}

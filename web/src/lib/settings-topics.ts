// Topics of the settings, by group. Also for the command palette.

import { t } from '@/lib/i18n'
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
  { name: 'organization', label: t('Organization'), icon: 'briefcase' },
  { name: 'automation', label: t('Automation'), icon: 'sparkle' },
  { name: 'communications', label: t('Communications'), icon: 'message' },
  { name: 'billing', label: t('Billing'), icon: 'dollar' },
  { name: 'control-panel', label: t('Control Panel'), icon: 'wrench' },
] as const satisfies readonly { name: SettingsGroup; label: string; icon: string }[]

export const SETTINGS_TOPICS = [
  {
    slug: 'business',
    group: 'organization',
    label: t('Business info'),
    icon: 'briefcase',
    about: t('Name, trade, phone, links and address'),
    keywords: [t('name industry trade phone review link google booking link time zone address')],
  },
  {
    slug: 'look',
    group: 'organization',
    label: t('Logo and color'),
    icon: 'sparkle',
    about: t('What customers see on pages, emails and PDFs'),
    keywords: [t('look brand logo color colour powered by form pages design')],
  },
  {
    slug: 'texting-number',
    group: 'organization',
    label: t('Texting number'),
    icon: 'phone',
    about: t('The number your texts leave from'),
    keywords: [t('phone number sms text twilio call forwarding toll-free verify claim code')],
  },
  {
    slug: 'hours',
    group: 'organization',
    label: t('Business hours'),
    icon: 'clock',
    about: t('When you are open, and holidays'),
    keywords: [t('open closed holiday weekend opening closed dates night after hours')],
  },
  {
    slug: 'online-booking',
    group: 'organization',
    label: t('Online booking'),
    icon: 'calendar',
    about: t('Let customers pick a time'),
    keywords: [t('schedule appointment book zip area arrival window notice buffer visit length')],
  },
  {
    slug: 'people',
    group: 'organization',
    label: t('People'),
    icon: 'user',
    about: t('Who signs in, and what they may do'),
    keywords: [t('team invite user office owner role staff employee access remove')],
  },
  {
    slug: 'new-requests',
    group: 'organization',
    label: t('Who gets new requests'),
    icon: 'leads',
    about: t('Leads by ZIP code or in turns'),
    keywords: [t('lead owner assign round robin turns territory zip')],
  },
  {
    slug: 'crews',
    group: 'organization',
    label: t('Crews'),
    icon: 'wrench',
    about: t('Who does the work, and when'),
    keywords: [t('technician truck team calendar members crew hours bookable')],
  },
  {
    slug: 'alerts',
    group: 'organization',
    label: t('Alerts and devices'),
    icon: 'bell',
    about: t('Alerts on your phone and computer'),
    keywords: [t('push notification phone sound quiet hours device browser')],
  },
  {
    slug: 'recipients',
    group: 'organization',
    label: t('Recipients'),
    icon: 'mail',
    about: t('Who hears about new leads'),
    keywords: [t('email recipients sms recipients notify who gets alerts alert email alert text')],
  },
  {
    slug: 'notifications',
    group: 'organization',
    label: t('Notification settings'),
    icon: 'bell',
    about: t('How often and when you are notified'),
    keywords: [t('frequency digest summary hourly daily emergency escalation schedule')],
  },
  {
    slug: 'automations',
    group: 'automation',
    label: t('Automations'),
    icon: 'sparkle',
    about: t('Turn each of the five automations on or off'),
    keywords: [t('switch on off lead intake job tracking review collection kpi reporting')],
  },
  {
    slug: 'automatic-replies',
    group: 'automation',
    label: t('Automatic replies'),
    icon: 'message',
    about: t('Answers to forms, texts and calls'),
    keywords: [t('auto-reply auto reply answer night hold replies instant')],
  },
  {
    slug: 'missed-calls',
    group: 'automation',
    label: t('Missed calls'),
    icon: 'phone',
    about: t('Which phones ring, and the text after a missed call'),
    keywords: [t('forward ring text back voicemail emergency words call')],
  },
  {
    slug: 'reminders',
    group: 'automation',
    label: t('Reminders and follow-ups'),
    icon: 'clock',
    about: t('Visit reminders and estimate follow-ups'),
    keywords: [t('visit day before on the way late estimate follow up holdout measured gain')],
  },
  {
    slug: 'review-requests',
    group: 'automation',
    label: t('Review requests'),
    icon: 'star',
    about: t('When customers are asked for a review'),
    keywords: [t('google stars rating ask follow-up reviews from elsewhere key')],
  },
  {
    slug: 'daily-limits',
    group: 'automation',
    label: t('Daily limits'),
    icon: 'send',
    about: t('How many texts leave in a day'),
    keywords: [t('budget limit texts a day pause registration a2p 10dlc spam fraud sending')],
  },
  {
    slug: 'reports',
    group: 'automation',
    label: t('Figures and reports'),
    icon: 'chart',
    about: t('The KPI report, margin and time saved'),
    keywords: [t('kpi pulse margin overhead profit minutes email report quiet')],
  },
  {
    slug: 'templates',
    group: 'communications',
    label: t('Message templates'),
    icon: 'message',
    about: t('The words of your texts and emails'),
    keywords: [t('wording text email sms spanish english message variables preview template')],
  },
  {
    slug: 'subscription',
    group: 'billing',
    label: t('Plan and billing'),
    icon: 'document',
    about: t('Your plan, limits and invoices from Toolbox'),
    keywords: [t('subscription plan pay invoice history cancel manage billing limits trust level')],
  },
  {
    slug: 'estimates',
    group: 'billing',
    label: t('Estimates'),
    icon: 'document',
    about: t('Logo, deposit, tax and terms'),
    keywords: [t('quote logo deposit tax terms license valid number pdf')],
  },
  {
    slug: 'invoices',
    group: 'billing',
    label: t('Invoices'),
    icon: 'dollar',
    about: t('When they are due, and reminders'),
    keywords: [t('due terms dunning reminder how to pay receipt overdue net 30')],
  },
  {
    slug: 'card-payments',
    group: 'billing',
    label: t('Card payments'),
    icon: 'dollar',
    about: t('Take cards through Stripe'),
    keywords: [t('stripe credit card apple pay payout bank online payment connect')],
  },
  {
    slug: 'price-book',
    group: 'billing',
    label: t('Price book'),
    icon: 'document',
    about: t('Prices you use again and again'),
    keywords: [t('prices items services materials import catalog flat rate')],
  },
  {
    slug: 'tests',
    group: 'control-panel',
    label: t('Test messages'),
    icon: 'send',
    about: t('Send yourself an email, a text or the report'),
    keywords: [t('test email test sms kpi pulse try check')],
  },
  {
    slug: 'system-status',
    group: 'control-panel',
    label: t('System status'),
    icon: 'wrench',
    about: t('Whether everything works'),
    keywords: [t('health operational down error stopped try again five tools')],
  },
  {
    slug: 'data',
    group: 'control-panel',
    label: t('Your data'),
    icon: 'download',
    about: t('Export, how long data is kept, offline phones'),
    keywords: [t('export download retention delete privacy offline csv leave')],
    isForOwner: true,
  },
  {
    slug: 'developers',
    group: 'control-panel',
    label: t('Developers'),
    icon: 'external',
    about: t('API keys, webhooks and connections'),
    keywords: [t('api key webhook zapier integration twilio stripe address endpoint program')],
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

/** Without accents, which few people type when they search. */
const splitWords = (text: string) =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)

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

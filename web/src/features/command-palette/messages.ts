import { plural, t } from '@/lib/i18n'

export const paletteMessages = {
  title: t('Search'),
  label: t('Search customers, phone numbers, estimates, invoices and jobs'),
  crewLabel: t('Search your jobs'),
  placeholder: t('Name, phone, EST-1001…'),
  crewPlaceholder: t('Customer, address or job number'),
  results: t('Search results'),
  searching: t('Searching…'),
  none: (text: string) =>
    t('Nothing found for “{text}”. Try a last name, the last 4 digits, or a number like INV-1001.', { text }),
  offline: t("You're offline. Search needs a connection. Pages still open."),
  failed: t('Search did not work. Please try again.'),
  count: (count: number) => plural(count, '{count} result', '{count} results'),
  groups: {
    recent: t('Recent'),
    actions: t('Actions'),
    customers: t('Customers'),
    leads: t('Leads'),
    papers: t('Estimates and invoices'),
    jobs: t('Jobs'),
  },
  kinds: {
    customer: t('Customer'),
    lead: t('Lead'),
    estimate: t('Estimate'),
    change_order: t('Change order'),
    invoice: t('Invoice'),
    job: t('Job'),
  },
} as const

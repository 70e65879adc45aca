import { t } from '@/lib/i18n'
export const quickAddMessages = {
  titles: { lead: t('Add a call'), customer: t('New customer') },
  customerHint: t('Toolbox keeps a customer with what they asked for.'),
  phone: t('Phone'),
  phoneHint: t('Paste it in any spelling'),
  name: t('Name'),
  nameHint: t('Leave it empty if you do not know it yet'),
  notes: t('What do they want?'),
  notesPlaceholder: t('Water heater leaks, wants it looked at this week'),
  bookingLink: t('Text them our booking link'),
  known: (name: string) => t('This is {name}. The call is added to their record.', { name }),
  save: t('Add lead'),
  saving: t('Adding…'),
  nobody: t('Enter a phone number or a name'),
  phoneForText: t('Enter a phone number to text'),
  success: t('Lead added'),
  failure: { title: t('Lead not added'), description: t('Nothing was saved. Please try again.') },
  offline: t("You're offline. Adding a lead needs a connection."),
  /** Stored as the source of the lead. */
  source: 'Phone call',
} as const

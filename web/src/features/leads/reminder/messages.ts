import type { Schema } from '@/api/client'
import { t } from '@/lib/i18n'

export const reminderMessages = {
  failed: { title: t('No preview'), description: t('The reminder did not arrive. Please try again.') },
  nothing: t('Nothing to remind of'),
  cannot: t('It cannot be sent'),
  sent: t('Reminder on its way'),
  waits: t('Reminder not sent yet'),
  about: {
    estimate: (channel, to) => t('Of the estimate, by {channel} to {to}.', { channel, to }),
    visit: (channel, to) => t('Of the visit, by {channel} to {to}.', { channel, to }),
    payment: (channel, to) => t('Of the open invoice, by {channel} to {to}.', { channel, to }),
  } satisfies Record<Schema['ReminderOf'], (channel: string, to: string) => string>,
  notSent: { title: t('Reminder not sent'), description: t('It could not be handed over. Please try again.') },
} as const

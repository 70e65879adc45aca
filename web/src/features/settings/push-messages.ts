// Of the alerts on a device, which crews see too.
import { t } from '@/lib/i18n'

export const pushMessages = {
  pushFailed: {
    title: t('Alerts are still off'),
    description: t('This browser did not give an address to send alerts to. Please try again.'),
  },
  pushOn: { title: t('Alerts are on'), description: t('New leads reach this device even with the app closed.') },
  pushTestFailed: { title: t('Test not sent'), description: t('The server could not send it. Please try again.') },
  deviceRemoved: { title: t('Device removed'), description: t('It gets no more alerts.') },
  deviceFailed: {
    title: t('Device not removed'),
    description: t('The server did not take the change. Please try again.'),
  },
} as const

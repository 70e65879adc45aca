import { t } from '@/lib/i18n'
export const erasureMessages = {
  kept: { title: t('Customer kept'), description: t('Nothing was changed.') },
  keepFailed: { title: t('Not undone'), description: t('The customer is still about to be erased. Please try again.') },
} as const

import { t } from '@/lib/i18n'

export const reviewRequestMessages = {
  title: t('Request Review'),
  failed: { title: t('No preview'), description: t('What would be sent did not arrive. Please try again.') },
  cannot: t('They cannot be asked now'),
  again: t('They were asked not long ago'),
  requested: t('Review requested'),
  waits: t('Review request not sent yet'),
  notRequested: { title: t('Review not requested'), description: t('It could not be handed over. Please try again.') },
} as const

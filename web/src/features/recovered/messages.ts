import { t } from '@/lib/i18n'
export const recoveredMessages = {
  title: t('Recovered money'),
  lead: t(
    'What customers paid after an automatic message had brought them back. Every payment counts once, and what you give back is taken off.',
  ),
  failed: {
    title: t('Recovered money could not be loaded'),
    description: t('The figures did not arrive. Please try again.'),
  },
  chainsFailed: {
    title: t('The cases could not be loaded'),
    description: t('The list did not arrive. Please try again.'),
  },
  counting: t('Still being counted'),
  countingWhy: t('What was there before is being counted: these figures may grow.'),
  noneTitle: t('Nothing recovered on these days'),
  none: t(
    'When a missed caller writes back after the text, or an estimate is signed after a reminder, and it brings in money, you see the whole case here, step by step.',
  ),
  export: {
    success: { title: t('Export successful'), description: t('The cases have been exported to CSV') },
    failure: { title: t('Export failed'), description: t('The file could not be made. Please try again.') },
  },
} as const

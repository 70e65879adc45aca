import { t } from '@/lib/i18n'
export const lineItemMessages = {
  line: {
    name: t('Say what it is'),
    quantity: t('Please enter a quantity above 0'),
    unitPrice: t('Please enter a price'),
  },
  discount: t('Please enter a discount above 0'),
  option: t('Give it a name'),
  emptyOption: (name: string) => t('{name} has no lines yet. Add one, or remove the option.', { name }),
  prices: {
    listFailed: { title: t('Price book could not be loaded'), description: t('It did not arrive. Please try again.') },
  },
} as const

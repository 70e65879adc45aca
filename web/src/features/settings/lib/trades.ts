// Offered trades: stored in English, shown in the language of the person.
import { t } from '@/lib/i18n'

export const TRADES = [
  { value: 'Plumbing', label: t('Plumbing') },
  { value: 'Electrical', label: t('Electrical') },
  { value: 'HVAC', label: 'HVAC' },
  { value: 'Roofing', label: t('Roofing') },
  { value: 'Landscaping', label: t('Landscaping') },
  { value: 'Remodeling', label: t('Remodeling') },
  { value: 'Contractor', label: t('Contractor') },
] as const

/** A trade in the words of the business is shown as it is. */
export const getTradeLabel = (trade: string): string => TRADES.find(({ value }) => value === trade)?.label ?? trade

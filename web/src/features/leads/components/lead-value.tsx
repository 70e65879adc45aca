// What was quoted, else what was collected.
import type { LeadSummary } from '@/domain/lead'
import { formatMoney } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import { getLeadValue } from '../lib/lead-filters'

export function LeadValue({ lead }: { lead: LeadSummary }) {
  const value = getLeadValue(lead)
  return value === undefined ? (
    <span className="text-note text-muted">{t('Not quoted')}</span>
  ) : (
    <span className="font-semibold tabular-nums">{formatMoney(value)}</span>
  )
}

import { t } from '@/lib/i18n'
import { IconButton } from '@/ui/button'
import { addMonths, formatCalendarMonth } from '../lib/months'

type MonthPagerProps = { month: string; /** None after this one. */ last: string; onChange: (month: string) => void }

export function MonthPager({ month, last, onChange }: MonthPagerProps) {
  return (
    <div role="group" aria-label={t('Month')} className="flex items-center gap-1">
      <IconButton label={t('Month before')} icon="arrow-left" onClick={() => onChange(addMonths(month, -1))} />
      <h2 aria-live="polite" className="min-w-32 sm:min-w-36 text-center text-crew tabular-nums">
        {formatCalendarMonth(month)}
      </h2>
      <IconButton
        label={t('Month after')}
        icon="arrow-right"
        disabled={month >= last}
        onClick={() => onChange(addMonths(month, 1))}
      />
    </div>
  )
}

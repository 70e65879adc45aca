import { classNames } from '@/lib/class-names'
import { formatCount } from '@/lib/format/number'
import { t } from '@/lib/i18n'
import type { ThreadFilter } from '../types'

export const THREAD_FILTERS = {
  open: t('Open'),
  unread: t('Unread'),
  mine: t('Mine'),
  snoozed: t('Snoozed'),
  closed: t('Closed'),
} as const satisfies Record<ThreadFilter, string>

export function isThreadFilter(value: string | null): value is ThreadFilter {
  return value !== null && value in THREAD_FILTERS
}

type InboxFiltersProps = { filter: ThreadFilter; unread: number; onChange: (filter: ThreadFilter) => void }

export function InboxFilters({ filter, unread, onChange }: InboxFiltersProps) {
  return (
    <fieldset className="relative -mx-4 min-w-0 overflow-x-auto px-4 [scrollbar-width:none]">
      <legend className="sr-only">{t('Show')}</legend>
      <div className="flex gap-1 py-1">
        {Object.entries(THREAD_FILTERS).map(([value, label]) => (
          <label
            key={value}
            className={classNames(
              'relative flex min-h-11 flex-auto cursor-pointer items-center justify-center gap-1 rounded-full border px-2 text-caption font-semibold whitespace-nowrap has-focus-visible:outline-2 has-focus-visible:outline-primary',
              value === filter ? 'border-primary/55 bg-primary/12 text-primary' : 'border-primary/22 text-muted',
            )}
          >
            <input
              type="radio"
              name="filter"
              className="sr-only"
              checked={value === filter}
              onChange={() => isThreadFilter(value) && onChange(value)}
            />
            {label} {value === 'unread' && unread > 0 && <span className="tabular-nums">{formatCount(unread)}</span>}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

import { useQuery } from '@tanstack/react-query'
import { JOB_STATUSES } from '@/domain/job'
import { peopleQueries } from '@/features/people/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { SearchBox } from '@/ui/search-box'
import { type JobFilterState, parseStatus } from '../lib/use-job-filters'

const STATUSES = Object.values(JOB_STATUSES)

export function BoardFilters({ filterState: { filters, text, change } }: { filterState: JobFilterState }) {
  const { orgId } = useCurrentUser()
  const { data: crews = [] } = useQuery(peopleQueries.crews(orgId))
  return (
    <div className="grid grid-cols-2 gap-2 sm:grid-cols-[minmax(0,1fr)_12rem_12rem] sm:gap-3">
      <div className="max-sm:col-span-2">
        <SearchBox
          label={t('Search jobs by customer, service, place or number')}
          placeholder={t('Customer, service or place')}
          value={text}
          onChange={(q) => change({ q })}
        />
      </div>
      <select
        aria-label={t('Status')}
        className="select"
        value={filters.status}
        onChange={(event) => change({ status: parseStatus(event.target.value) })}
      >
        <option value="">{t('Every status')}</option>
        {STATUSES.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <select
        aria-label={t('Crew')}
        className="select"
        value={filters.crewId}
        onChange={(event) => change({ crewId: event.target.value })}
      >
        <option value="">{t('Every crew')}</option>
        {crews.map(({ id, name, isActive }) => (
          <option key={id} value={id}>
            {isActive ? name : t('{name} (inactive)', { name })}
          </option>
        ))}
      </select>
    </div>
  )
}

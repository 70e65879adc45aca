import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { UNASSIGNED } from '@/domain/job'
import { peopleQueries } from '@/features/people/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'

type CrewSelectProps = { value: string; onChange: (crewId: string) => void }

export function CrewSelect({ value, onChange }: CrewSelectProps) {
  const id = useId()
  const { orgId } = useCurrentUser()
  const { data: crews = [], isError, isSuccess } = useQuery(peopleQueries.crews(orgId))
  const offered = crews.filter((crew) => crew.isActive || crew.id === value)
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="font-semibold">
        {t('Crew')}
      </label>
      <select id={id} className="select" value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{UNASSIGNED}</option>
        {offered.map((crew) => (
          <option key={crew.id} value={crew.id}>
            {crew.name}
          </option>
        ))}
      </select>
      {isError && (
        <p className="text-note text-warning">{t('Crews could not be loaded. Open this again in a moment.')}</p>
      )}
      {isSuccess && offered.length === 0 && (
        <p className="text-caption text-muted">{t('No crews yet. Add one under Settings, Crews.')}</p>
      )}
    </div>
  )
}

/** The crew's name by its id. */
export function useCrewName(): (crewId: string) => string {
  const { orgId } = useCurrentUser()
  const { data: crews = [] } = useQuery(peopleQueries.crews(orgId))
  return (crewId) => crews.find(({ id }) => id === crewId)?.name ?? UNASSIGNED
}

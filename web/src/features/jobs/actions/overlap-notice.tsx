// Overlap warning; never blocks.
import { useQuery } from '@tanstack/react-query'
import { formatTime } from '@/lib/format/date'
import { getZoneDay, toInstant } from '@/lib/format/zone-time'
import { useCurrentUser } from '@/features/session/use-session'
import { plural, t } from '@/lib/i18n'
import { Notice } from '@/ui/notice'
import { findOverlaps } from '../lib/overlaps'
import { jobQueries } from '../queries'

type OverlapNoticeProps = { jobId: string; crewId: string; startsAt: string; minutes: number }

export function OverlapNotice({ jobId, crewId, startsAt, minutes }: OverlapNoticeProps) {
  const { orgId, orgTimezone } = useCurrentUser()
  const at = Date.parse(startsAt)
  // A visit of the evening before may reach into the day, and this one into the next.
  const [from, to] = [-1, 2].map((days) =>
    toInstant(orgTimezone, getZoneDay(orgTimezone, at, days), '00:00').toISOString(),
  )
  const { data: jobs = [], isError } = useQuery({
    ...jobQueries.busy(orgId, crewId, from ?? '', to ?? ''),
    enabled: crewId !== '',
  })
  if (crewId === '') return null
  if (isError)
    return <p className="text-note text-warning">{t('Whether the crew is free then could not be looked up.')}</p>
  const others = findOverlaps(jobs, { startsAt, minutes }, jobId)
  if (others.length === 0) return null
  return (
    <Notice
      tone="warning"
      title={plural(others.length, 'This crew has another job then', 'This crew has {count} other jobs then')}
    >
      <ul>
        {others.map(({ id, number, customer, date, endsAt }) => (
          <li key={id}>
            {t('Overlaps #{number}, {start} – {end}, {customer}', {
              number,
              start: formatTime(date ?? '', orgTimezone),
              end: formatTime(endsAt ?? '', orgTimezone),
              customer,
            })}
          </li>
        ))}
      </ul>
      <p className="text-muted">{t('It can be saved all the same.')}</p>
    </Notice>
  )
}

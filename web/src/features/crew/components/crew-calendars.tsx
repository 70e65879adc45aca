import { useQuery } from '@tanstack/react-query'
import { CrewCalendarFeed } from '@/features/jobs/crews/crew-calendar-feed'
import { peopleQueries } from '@/features/people/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { Disclosure } from '@/ui/disclosure'

export function CrewCalendars() {
  const { orgId } = useCurrentUser()
  const { data: crews = [] } = useQuery(peopleQueries.crews(orgId))
  if (crews.length === 0) return null
  return (
    <Card title={t('In your calendar app')} icon="calendar">
      {crews.map(({ id, name }) => (
        <Disclosure key={id} summary={name}>
          <CrewCalendarFeed crewId={id} />
        </Disclosure>
      ))}
    </Card>
  )
}

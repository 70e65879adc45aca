// The calendars of the crews that somebody goes out with: subscribed to here, and given a new address by them.
import { useQuery } from '@tanstack/react-query'
import { CrewCalendar } from '@/features/jobs/crews/crew-calendar'
import { peopleQueries } from '@/features/people/queries'
import { useCurrentUser } from '@/session/use-session'
import { Card } from '@/ui/card'
import { Disclosure } from '@/ui/disclosure'

export function OwnCalendars() {
  const { orgId } = useCurrentUser()
  const { data: crews = [] } = useQuery(peopleQueries.crews(orgId))
  if (crews.length === 0) return null
  return (
    <Card title="In your calendar app" icon="calendar">
      {crews.map(({ id, name }) => (
        <Disclosure key={id} summary={name}>
          <CrewCalendar crewId={id} />
        </Disclosure>
      ))}
    </Card>
  )
}

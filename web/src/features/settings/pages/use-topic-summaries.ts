import { useQuery } from '@tanstack/react-query'
import { peopleQueries } from '@/features/people/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { sendingNumberQuery } from '../organization/sending-number'
import { settingsQueries } from '../queries'
import { summarizeTopics, type TopicSummaries } from './topic-summaries'

export function useTopicSummaries(): TopicSummaries {
  const { orgId } = useCurrentUser()
  const { data: organization } = useQuery(settingsQueries.organization(orgId))
  const { data: settings } = useQuery(settingsQueries.settings(orgId))
  const { data: number } = useQuery(sendingNumberQuery(orgId))
  const { data: people } = useQuery(peopleQueries.team(orgId))
  const { data: crews } = useQuery(peopleQueries.crews(orgId))
  return summarizeTopics({
    organization,
    settings,
    number,
    peopleCount: people?.filter(({ isActive }) => isActive).length,
    crewCount: crews?.length,
  })
}

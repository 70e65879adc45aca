import { useMutation } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { crewsKey, jobsKey } from '@/domain/query-keys'
import { useCurrentUser } from '@/features/session/use-session'
import { jobsMessages } from '../messages'
import type { CrewChange } from '../types'

const texts = jobsMessages.crews

/** Adds a crew. */
export function useAddCrew() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (body: CrewChange) => unwrap(api.POST('/api/crews', { body })),
    meta: { success: texts.added, failure: texts.failure, invalidates: [crewsKey(orgId)] },
  })
}

/** Changes a crew; its jobs show its name too. */
export function useChangeCrew(crewId: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (body: CrewChange) => unwrap(api.PATCH('/api/crews/{crewId}', { params: { path: { crewId } }, body })),
    meta: { success: texts.saved, failure: texts.failure, invalidates: [crewsKey(orgId), jobsKey(orgId)] },
  })
}

/** Gives the crew's calendar another address: the old one opens nothing any more. */
export function useRenewCalendarFeed(crewId: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/crews/{crewId}/feed', { params: { path: { crewId } } })),
    meta: { success: texts.feedMade, failure: texts.feedFailed, invalidates: [crewsKey(orgId)] },
  })
}

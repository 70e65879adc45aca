// Live-event connection of the signed-in user.
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api, unwrap } from '@/api/client'
import { isDemoMode } from '@/lib/demo'
import { useCurrentUser } from '@/features/session/use-session'
import { subscribeLiveEvents } from './live-events'
import { liveState } from '@/lib/live-state'

/** Refetches the current user; the query client reports an ended session. */
function refetchCurrentUser(client: QueryClient): void {
  if (isDemoMode()) return
  void client.prefetchQuery({
    queryKey: ['session', 'stands'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/auth/me', { signal })),
    staleTime: 0,
    gcTime: 0,
  })
}

/** Crew members receive events of their own jobs only. */
export function useLiveEvents(): void {
  const client = useQueryClient()
  const { orgId } = useCurrentUser()
  useEffect(
    () => subscribeLiveEvents({ client, orgId, onState: liveState.set, onRefused: () => refetchCurrentUser(client) }),
    [client, orgId],
  )
}

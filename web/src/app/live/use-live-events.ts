// One connection for live events while someone is signed in.
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api, unwrap } from '@/api/client'
import { inDemo } from '@/lib/demo'
import { useCurrentUser } from '@/session/use-session'
import { listenLive } from './live-events'
import { liveState } from '@/lib/live-state'

/** Somebody who was signed out from elsewhere, or may not sign in any more, is told before they touch anything: the query client reports it. */
function lookWhoIsIn(client: QueryClient): void {
  if (inDemo()) return
  void client.prefetchQuery({
    queryKey: ['session', 'stands'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/auth/me', { signal })),
    staleTime: 0,
    gcTime: 0,
  })
}

/** Keeps what is shown up to date while the calling screen stands. A crew hears of its own jobs alone. */
export function useLiveEvents(): void {
  const client = useQueryClient()
  const { orgId } = useCurrentUser()
  useEffect(
    () => listenLive({ client, orgId, onState: liveState.set, onRefused: () => lookWhoIsIn(client) }),
    [client, orgId],
  )
}

// One connection for live events while someone is signed in.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useCurrentUser } from '@/session/use-session'
import { listenLive } from './live-events'
import { liveState } from '@/lib/live-state'

/** Keeps what is shown up to date while the calling screen stands. A crew hears of its own jobs alone. */
export function useLiveEvents(): void {
  const client = useQueryClient()
  const { orgId } = useCurrentUser()
  useEffect(() => listenLive({ client, orgId, onState: liveState.set }), [client, orgId])
}

// The demonstration: the staff screens as they are, with its banner above each. Whoever comes is its viewer; nobody signs in.
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect } from 'react'
import { ApiError } from '@/api/client'
import '@/api/demo-wall'
import { isTemporary } from '@/api/errors'
import { sessionQueries } from '@/session/queries'
import { CurrentUserContext } from '@/session/use-session'
import { LoadingScreen } from '../loading-screen'
import { Component as StaffRoutes } from '../staff-routes'
import { DemoBanner } from './demo-banner'
import { NoDemo, WaitingForDemo } from './not-ready'

const SECOND_MS = 1000
const PAUSE_S = { usual: 3, longest: 15 } as const

/** The bar at the top and the banner, for screens that fill what is left. */
const BARS = '[--bar-height:calc(6rem_+_1px)]'

/** As long as the server asks for, within reason: somebody is looking on. */
function pauseAfter(error: Error): number {
  const asked = error instanceof ApiError ? error.retryAfterSeconds : undefined
  return Math.min(asked ?? PAUSE_S.usual, PAUSE_S.longest) * SECOND_MS
}

export function Component() {
  const viewer = useQuery({
    ...sessionQueries.me(),
    retry: (_tries, error) => isTemporary(error),
    retryDelay: (_tries, error) => pauseAfter(error),
  })
  useEffect(() => {
    // There when it is needed, whatever the network does by then.
    void import('@/ui/toast/demo-refusal')
  }, [])
  // All the screens at once are much work: it is done in pieces.
  const isIn = useDeferredValue(viewer.data?.isDemo === true)
  // A server that takes us for somebody else would show that business here.
  if (viewer.data?.isDemo) {
    if (!isIn) return <LoadingScreen />
    return (
      <CurrentUserContext value={viewer.data}>
        <div className={BARS}>
          <StaffRoutes notice={<DemoBanner />} />
        </div>
      </CurrentUserContext>
    )
  }
  if (viewer.isPending)
    return viewer.failureReason ? <WaitingForDemo error={viewer.failureReason} /> : <LoadingScreen />
  return <NoDemo error={viewer.error} onRetry={() => void viewer.refetch()} />
}

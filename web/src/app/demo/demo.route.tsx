// Demonstration: staff screens with a banner, for an anonymous viewer.
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useState } from 'react'
import { ApiError } from '@/api/client'
import '@/api/demo-guard'
import { isTemporary } from '@/api/errors'
import { sessionQueries } from '@/features/session/queries'
import { CurrentUserContext } from '@/features/session/use-session'
import { LoadingScreen } from '../loading-screen'
import { Component as StaffRoutes } from '../staff-routes'
import { DemoBanner } from './demo-banner'
import { DemoTour } from './demo-tour'
import { DemoUnavailable, DemoStarting } from './demo-unavailable'

const SECOND_MS = 1000
const RETRY_DELAY_S = { usual: 3, longest: 15 } as const

/** Retry-After of the server, within limits. */
function retryDelay(error: Error): number {
  const retryAfter = error instanceof ApiError ? error.retryAfterSeconds : undefined
  return Math.min(retryAfter ?? RETRY_DELAY_S.usual, RETRY_DELAY_S.longest) * SECOND_MS
}

export function Component() {
  const [isTourOn, setIsTourOn] = useState(true)
  const viewer = useQuery({
    ...sessionQueries.me(),
    retry: (_tries, error) => isTemporary(error),
    retryDelay: (_tries, error) => retryDelay(error),
  })
  useEffect(() => {
    // Preloaded for use offline.
    void import('@/ui/toast/demo-refusal')
  }, [])
  // Deferred: rendering all screens at once blocks slow phones.
  const isIn = useDeferredValue(viewer.data?.isDemo === true)
  // Guard against the data of a real business.
  if (viewer.data?.isDemo) {
    if (!isIn) return <LoadingScreen />
    return (
      <CurrentUserContext value={viewer.data}>
        <StaffRoutes
          notice={
            <>
              <DemoBanner onTour={isTourOn ? undefined : () => setIsTourOn(true)} />
              {isTourOn && <DemoTour onEnd={() => setIsTourOn(false)} />}
            </>
          }
        />
      </CurrentUserContext>
    )
  }
  if (viewer.isPending) return viewer.failureReason ? <DemoStarting error={viewer.failureReason} /> : <LoadingScreen />
  return <DemoUnavailable error={viewer.error} onRetry={() => void viewer.refetch()} />
}

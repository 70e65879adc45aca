// Demonstration: staff screens with a banner, for an anonymous viewer.
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect } from 'react'
import { ApiError } from '@/api/client'
import '@/api/demo-guard'
import { isTemporary } from '@/api/errors'
import { sessionQueries } from '@/features/session/queries'
import { CurrentUserContext } from '@/features/session/use-session'
import { LoadingScreen } from '../loading-screen'
import { Component as StaffRoutes } from '../staff-routes'
import { DemoBanner } from './demo-banner'
import { DemoUnavailable, DemoStarting } from './demo-unavailable'

const SECOND_MS = 1000
const RETRY_DELAY_S = { usual: 3, longest: 15 } as const

/** Bar and banner height for full-height screens. */
const BAR_HEIGHT_CLASS = '[--bar-height:calc(6rem_+_1px)]'

/** Retry-After of the server, within limits. */
function retryDelay(error: Error): number {
  const retryAfter = error instanceof ApiError ? error.retryAfterSeconds : undefined
  return Math.min(retryAfter ?? RETRY_DELAY_S.usual, RETRY_DELAY_S.longest) * SECOND_MS
}

export function Component() {
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
        <div className={BAR_HEIGHT_CLASS}>
          <StaffRoutes notice={<DemoBanner />} />
        </div>
      </CurrentUserContext>
    )
  }
  if (viewer.isPending) return viewer.failureReason ? <DemoStarting error={viewer.failureReason} /> : <LoadingScreen />
  return <DemoUnavailable error={viewer.error} onRetry={() => void viewer.refetch()} />
}

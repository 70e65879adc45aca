// The phone number: the set-up of the settings, in the guided start.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { Link } from 'react-router-dom'
import { formatPhone } from '@/lib/format/phone'
import { paths } from '@/lib/paths'
import { numberQueries } from '@/features/number-setup/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { StatusLine } from '@/ui/status-line'
import { startMessages } from '../messages'
import { StepFrame } from '../step-frame'
import type { StartNav } from '../use-start-nav'

const texts = startMessages.number

const NumberSetup = lazy(async () => ({
  default: (await import('@/features/number-setup/number-setup')).NumberSetup,
}))

export function NumberStep({ nav }: { nav: StartNav }) {
  const { orgId, role } = useCurrentUser()
  const found = useQuery(numberQueries.current(orgId))
  const canSend = found.data !== undefined && found.data.why === null
  return (
    <StepFrame hasForms nav={nav} onContinue={canSend ? nav.next : undefined}>
      <QueryBoundary query={found} skeleton={<SkeletonLines lines={5} />} errorText={startMessages.loadFailed}>
        {({ number, why }) => (
          <>
            {why === null && (
              <StatusLine tone="success" icon="check-circle">
                {number ? texts.have(formatPhone(number)) : texts.shared}
              </StatusLine>
            )}
            {/* The parts below have headings of the third level. */}
            <h2 className="sr-only">{texts.ways}</h2>
            {role === 'owner' ? (
              <Suspense fallback={<SkeletonLines lines={5} />}>
                <NumberSetup key={number ?? ''} initialWay={number ? 'forward' : 'buy'} />
              </Suspense>
            ) : (
              <p className="text-muted">{startMessages.ownerOnly}</p>
            )}
          </>
        )}
      </QueryBoundary>
      <p>
        <Link to={paths.textingNumber} className="text-link inline-flex min-h-11 items-center">
          {texts.more}
        </Link>
      </p>
    </StepFrame>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { describeError } from '@/api/errors'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { cardPaymentsQuery, useConnectStripe } from '@/features/settings/cards/queries'
import { Button } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { StatusLine } from '@/ui/status-line'
import type { Schema } from '@/api/client'
import { startMessages } from '../messages'
import { StepFrame } from '../step-frame'
import type { StartNav } from '../use-start-nav'

const texts = startMessages.cards

const BUTTONS: Partial<Record<Schema['StripeConnection']['state'], string>> = {
  none: texts.connect,
  disconnected: texts.connect,
  needs_details: texts.goOn,
  restricted: texts.goOn,
  to_finish: texts.finish,
}

export function CardsStep({ nav }: { nav: StartNav }) {
  const { orgId } = useCurrentUser()
  const found = useQuery(cardPaymentsQuery(orgId))
  const takesCards = found.data?.isSetUp === true && !found.data.keyRefusedAt
  return (
    <StepFrame nav={nav} onContinue={takesCards ? nav.next : undefined}>
      <QueryBoundary query={found} skeleton={<SkeletonLines lines={3} />} errorText={startMessages.loadFailed}>
        {(cards) => (takesCards ? <TakesCards /> : <ConnectCards cards={cards} />)}
      </QueryBoundary>
    </StepFrame>
  )
}

function TakesCards() {
  return (
    <StatusLine tone="success" icon="check-circle">
      {texts.ready}
    </StatusLine>
  )
}

function ConnectCards({ cards: { connect } }: { cards: Schema['CardPayments'] }) {
  const { role } = useCurrentUser()
  const begin = useConnectStripe()
  const label = BUTTONS[connect.state]
  return (
    <div className="grid gap-3">
      {connect.state === 'in_review' && <Notice tone="info" title={texts.inReview} />}
      {begin.error && (
        <Notice tone="error" title={texts.failed}>
          {describeError(begin.error).description}
        </Notice>
      )}
      {role !== 'owner' && <p className="text-muted">{startMessages.ownerOnly}</p>}
      {role === 'owner' && connect.isOffered && label && (
        <div>
          <Button pending={begin.isPending} onClick={() => begin.mutate()}>
            {label}
          </Button>
        </div>
      )}
      {(!connect.isOffered || connect.state === 'in_review') && (
        <Link to={paths.settings('card-payments')} className="text-link inline-flex min-h-11 items-center">
          {texts.other}
        </Link>
      )}
      <p className="text-note text-muted">{texts.later}</p>
    </div>
  )
}

// Checkout: demo request, and the first payment where Stripe is set up.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { Card } from '@/ui/card'
import { QueryBoundary } from '@/ui/query-boundary'
import { InfoStep } from './info-step'
import { checkoutMessages as texts } from './messages'
import { PaidStep } from './paid-step'
import { type PaymentOutcome, PaymentStep } from './payment-step'
import { type StartedSubscription, type Checkout, checkoutQuery } from './queries'
import type { DemoValues } from './schema'
import { WaitingStep } from './waiting-step'

/** Parameters that Stripe adds to the return address. */
const OUTCOME_PARAM = 'redirect_status'

const OUTCOMES: Readonly<Record<string, PaymentOutcome>> = {
  succeeded: 'paid',
  processing: 'waiting',
  pending: 'waiting',
}

export function Component() {
  useDocumentTitle('Checkout')
  const checkout = useQuery(checkoutQuery())
  return (
    <div className="mx-auto grid w-full max-w-xl gap-4 px-4 pt-4 lg:pt-10">
      <Card className="sm:p-8">
        <QueryBoundary query={checkout}>{(found) => <CheckoutSteps checkout={found} />}</QueryBoundary>
      </Card>
    </div>
  )
}

type PendingCheckout = { begun: StartedSubscription; values: DemoValues }

function CheckoutSteps({ checkout }: { checkout: Checkout }) {
  const [params] = useSearchParams()
  const [pendingCheckout, setAsked] = useState<PendingCheckout>()
  const [outcome, setOutcome] = useState(OUTCOMES[params.get(OUTCOME_PARAM) ?? ''])
  if (outcome === 'paid') return <PaidStep email={pendingCheckout?.values.email} />
  if (outcome === 'waiting') return <WaitingStep />
  if (!pendingCheckout)
    return (
      <InfoStep
        checkout={checkout}
        hasFailed={params.get(OUTCOME_PARAM) === 'failed'}
        onAsked={(begun, values) => setAsked({ begun, values })}
      />
    )
  const offer = checkout.offers.find(({ plan }) => plan === pendingCheckout.values.plan) ?? checkout.offers[0]
  return (
    <>
      <h1 className="text-title">{texts.setup}</h1>
      {offer && (
        <PaymentStep checkout={checkout} offer={offer} begun={pendingCheckout.begun} onConfirmed={setOutcome} />
      )}
    </>
  )
}

// The checkout: who asks for a demo, and where payments are set up the first payment. Where they are not, it says so.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { Card } from '@/ui/card'
import { QueryBoundary } from '@/ui/query-boundary'
import { InfoStep } from './info-step'
import { checkoutTexts as texts } from './messages'
import { PaidStep } from './paid-step'
import { type Outcome, PaymentStep } from './payment-step'
import { type Begun, type Checkout, checkoutQuery } from './queries'
import type { DemoValues } from './schema'
import { WaitingStep } from './waiting-step'

/** What Stripe adds to the address of whoever had to leave the page to pay. */
const OUTCOME = 'redirect_status'

const OUTCOMES: Readonly<Record<string, Outcome>> = { succeeded: 'paid', processing: 'waiting', pending: 'waiting' }

export function Component() {
  useDocumentTitle('Checkout')
  const checkout = useQuery(checkoutQuery())
  return (
    <div className="mx-auto grid w-full max-w-xl gap-4 px-4 pt-4 lg:pt-10">
      <Card className="sm:p-8">
        <QueryBoundary query={checkout}>{(found) => <Steps checkout={found} />}</QueryBoundary>
      </Card>
    </div>
  )
}

type Asked = { begun: Begun; values: DemoValues }

function Steps({ checkout }: { checkout: Checkout }) {
  const [params] = useSearchParams()
  const [asked, setAsked] = useState<Asked>()
  const [outcome, setOutcome] = useState(OUTCOMES[params.get(OUTCOME) ?? ''])
  if (outcome === 'paid') return <PaidStep email={asked?.values.email} />
  if (outcome === 'waiting') return <WaitingStep />
  if (!asked)
    return (
      <InfoStep
        checkout={checkout}
        hasFailed={params.get(OUTCOME) === 'failed'}
        onAsked={(begun, values) => setAsked({ begun, values })}
      />
    )
  const offer = checkout.offers.find(({ plan }) => plan === asked.values.plan) ?? checkout.offers[0]
  return (
    <>
      <h1 className="text-title">{texts.setup}</h1>
      {offer && <PaymentStep checkout={checkout} offer={offer} begun={asked.begun} onConfirmed={setOutcome} />}
    </>
  )
}

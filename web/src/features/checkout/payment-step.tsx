// Second step: amount and Stripe's form.
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { formatCents } from '@/lib/format/money'
import { paths } from '@/lib/paths'
import { useTheme } from '@/lib/theme'
import { Button } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { Spinner } from '@/ui/spinner'
import { checkoutMessages as texts } from './messages'
import type { StartedSubscription, Checkout, CheckoutOffer } from './queries'
import { type StripeElements, loadStripe, type StripeForm } from './stripe'

/** Result of a payment that was not declined. */
export type PaymentOutcome = 'paid' | 'waiting'

type PaymentStepProps = {
  checkout: Checkout
  offer: CheckoutOffer
  begun: StartedSubscription
  onConfirmed: (outcome: PaymentOutcome) => void
}

export function PaymentStep({ checkout, offer, begun, onConfirmed }: PaymentStepProps) {
  const { isSetUp, publishableKey, supportEmail } = checkout
  return (
    <div className="mt-4 grid gap-5">
      <PaymentSummary offer={offer} />
      {isSetUp ? (
        begun.clientSecret && publishableKey ? (
          <PaymentForm
            clientSecret={begun.clientSecret}
            publishableKey={publishableKey}
            total={offer.totalToday}
            onConfirmed={onConfirmed}
          />
        ) : (
          <div className="grid place-items-center py-8">
            <Spinner size="large" label="Loading the payment" />
          </div>
        )
      ) : (
        <Notice tone="info" title={texts.notConfigured}>
          {supportEmail && (
            <p>
              Write to{' '}
              <a className="text-link" href={`mailto:${supportEmail}`}>
                {supportEmail}
              </a>
              .
            </p>
          )}
          <p>We have your request, reference {begun.reference}.</p>
        </Notice>
      )}
    </div>
  )
}

function PaymentSummary({ offer: { plan, setupFee, firstPayment, totalToday } }: { offer: CheckoutOffer }) {
  const all = [
    ['Setup Fee', setupFee],
    [plan === 'six_months' ? 'First Six Months' : 'First Month', firstPayment],
  ] as const
  // Who subscribes again has paid the setup.
  const lines = all.filter(([, amount]) => amount > 0)
  return (
    <dl className="grid gap-2 tabular-nums">
      {lines.map(([label, amount]) => (
        <div key={label} className="flex justify-between gap-4">
          <dt className="text-muted">{label}</dt>
          <dd>{formatCents(amount)}</dd>
        </div>
      ))}
      <div className="flex justify-between gap-4 border-t border-primary/22 pt-2 font-semibold">
        <dt>Total Today</dt>
        <dd>{formatCents(totalToday)}</dd>
      </div>
    </dl>
  )
}

type PayFormProps = {
  clientSecret: string
  publishableKey: string
  total: number
  onConfirmed: (outcome: PaymentOutcome) => void
}

type StripeFormState =
  | { state: 'loading' }
  | { state: 'failed' }
  | { state: 'ready'; stripe: StripeForm; elements: StripeElements }

/** Shows Stripe's form in `place` while the calling component is mounted. */
function useStripeForm({ clientSecret, publishableKey }: Pick<PayFormProps, 'clientSecret' | 'publishableKey'>) {
  const container = useRef<HTMLDivElement>(null)
  const [formState, setShown] = useState<StripeFormState>({ state: 'loading' })
  // The theme at mount: a form in use is not created again.
  const isDay = useTheme() === 'toolbox-day'
  const [theme] = useState(isDay ? ('stripe' as const) : ('night' as const))
  useEffect(() => {
    let isOver = false
    let clear: (() => void) | undefined
    const show = async () => {
      try {
        const stripe = await loadStripe(publishableKey)
        if (isOver || !container.current) return
        const elements = stripe.elements({ clientSecret, appearance: { theme } })
        const form = elements.create('payment')
        clear = () => form.destroy()
        form.on('ready', () => setShown({ state: 'ready', stripe, elements }))
        form.on('loaderror', () => setShown({ state: 'failed' }))
        form.mount(container.current)
      } catch {
        if (!isOver) setShown({ state: 'failed' })
      }
    }
    void show()
    return () => {
      isOver = true
      clear?.()
    }
  }, [clientSecret, publishableKey, theme])
  return { container, formState }
}

function PaymentForm({ clientSecret, publishableKey, total, onConfirmed }: PayFormProps) {
  const { container, formState } = useStripeForm({ clientSecret, publishableKey })
  const [isPaying, setIsPaying] = useState(false)
  const [problem, setProblem] = useState<string>()
  const pay = async () => {
    if (formState.state !== 'ready' || isPaying) return
    setIsPaying(true)
    setProblem(undefined)
    try {
      const { stripe, elements } = formState
      const { error, paymentIntent } = await stripe.confirmPayment({
        elements,
        confirmParams: { return_url: `${globalThis.location.origin}${paths.checkout}` },
        redirect: 'if_required',
      })
      if (error) setProblem(error.message ?? texts.payFailed)
      else if (paymentIntent?.status === 'succeeded') onConfirmed('paid')
      else if (paymentIntent?.status === 'requires_action' || paymentIntent?.status === 'requires_payment_method')
        setProblem(texts.unfinished)
      else onConfirmed('waiting')
    } catch {
      setProblem(texts.payFailed)
    }
    setIsPaying(false)
  }
  const send = (event: FormEvent) => {
    event.preventDefault()
    void pay()
  }
  return (
    <form aria-label="Payment" className="grid gap-4" onSubmit={send}>
      {formState.state === 'loading' && (
        <div className="grid place-items-center py-8">
          <Spinner size="large" label="Loading the payment" />
        </div>
      )}
      {formState.state === 'failed' && (
        <Notice tone="error" title={texts.noForm.title}>
          {texts.noForm.description}
        </Notice>
      )}
      <div ref={container} hidden={formState.state === 'failed'} />
      {problem && (
        <Notice tone="error" title={texts.payFailed}>
          {problem}
        </Notice>
      )}
      {formState.state === 'ready' && (
        <Button type="submit" wide pending={isPaying} pendingText="Paying...">
          Pay {formatCents(total)}
        </Button>
      )}
    </form>
  )
}

// Stripe's payment form, loaded from js.stripe.com as required; card numbers never reach this app.

const STRIPE_SCRIPT_URL = 'https://js.stripe.com/v3/'

type Appearance = { theme: 'night' | 'stripe' }

type PaymentElement = {
  mount: (place: HTMLElement) => void
  destroy: () => void
  on: (event: 'ready' | 'loaderror', tell: () => void) => void
}

export type StripeElements = { create: (kind: 'payment') => PaymentElement }

/** Without an error it may be unpaid still, at the bank (docs.stripe.com/payments/paymentintents/lifecycle). */
type ConfirmResult = { error?: { message?: string }; paymentIntent?: { status: string } }

/** What of Stripe's script is used here. */
export type StripeForm = {
  elements: (options: { clientSecret: string; appearance: Appearance }) => StripeElements
  confirmPayment: (options: {
    elements: StripeElements
    confirmParams: { return_url: string }
    redirect: 'if_required'
  }) => Promise<ConfirmResult>
}

type StripeFactory = (publishableKey: string) => StripeForm

let loading: Promise<StripeFactory> | undefined

function stripeFactory(): StripeFactory | undefined {
  return Reflect.get(globalThis, 'Stripe') as StripeFactory | undefined
}

function fetchScript(): Promise<StripeFactory> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = STRIPE_SCRIPT_URL
    script.addEventListener('load', () => {
      const found = stripeFactory()
      if (found) resolve(found)
      else reject(new Error('Stripe’s script brought no form'))
    })
    script.addEventListener('error', () => {
      script.remove()
      // The next one may try again.
      loading = undefined
      reject(new Error('Stripe’s script could not be loaded'))
    })
    document.head.append(script)
  })
}

/** Stripe's form for an account; its script is fetched once. */
export async function loadStripe(publishableKey: string): Promise<StripeForm> {
  const found = stripeFactory()
  if (found) return found(publishableKey)
  loading ??= fetchScript()
  return (await loading)(publishableKey)
}

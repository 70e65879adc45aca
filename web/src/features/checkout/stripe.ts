// Stripe's own form for the first payment: fetched from Stripe when it is shown, as Stripe asks (docs.stripe.com/js).
// No card number ever comes here; the page's content policy lets nothing else in.

const ADDRESS = 'https://js.stripe.com/v3/'

type Appearance = { theme: 'night' | 'stripe' }

type PaymentElement = {
  mount: (place: HTMLElement) => void
  destroy: () => void
  on: (event: 'ready' | 'loaderror', tell: () => void) => void
}

export type Elements = { create: (kind: 'payment') => PaymentElement }

/** Without an error it need not be paid: a bank may still think about it (docs.stripe.com/payments/paymentintents/lifecycle). */
type Confirmed = { error?: { message?: string }; paymentIntent?: { status: string } }

/** What of Stripe's script is used here. */
export type StripeForm = {
  elements: (options: { clientSecret: string; appearance: Appearance }) => Elements
  confirmPayment: (options: {
    elements: Elements
    confirmParams: { return_url: string }
    redirect: 'if_required'
  }) => Promise<Confirmed>
}

type Factory = (publishableKey: string) => StripeForm

let loading: Promise<Factory> | undefined

function factory(): Factory | undefined {
  return Reflect.get(globalThis, 'Stripe') as Factory | undefined
}

function fetchScript(): Promise<Factory> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = ADDRESS
    script.addEventListener('load', () => {
      const found = factory()
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
  const found = factory()
  if (found) return found(publishableKey)
  loading ??= fetchScript()
  return (await loading)(publishableKey)
}

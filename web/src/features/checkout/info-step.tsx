// First step: contact details and plan.
import { useState } from 'react'
import { describeError } from '@/api/errors'
import { formatMoney } from '@/lib/format/money'
import { Button } from '@/ui/button'
import { ChoiceField } from '@/ui/choice-field'
import { TextField } from '@/ui/field'
import { Form } from '@/ui/form'
import { Notice } from '@/ui/notice'
import { checkoutMessages as texts } from './messages'
import { type StartedSubscription, type Checkout, type CheckoutOffer, useRequestDemo } from './queries'
import { demoSchema, type DemoValues } from './schema'

const EMPTY: DemoValues = { orgName: '', name: '', phone: '', email: '', industry: '', plan: 'monthly' }

type InfoStepProps = {
  checkout: Checkout
  /** Whether the visitor returns from a declined payment. */ hasFailed: boolean
  onAsked: (begun: StartedSubscription, values: DemoValues) => void
}

/** Who subscribes again has paid the setup, and saves nothing on it. */
function planOption({ plan, setupFee, firstPayment }: CheckoutOffer) {
  const setup = formatMoney(setupFee)
  return plan === 'monthly'
    ? {
        value: plan,
        label: `Monthly: ${formatMoney(firstPayment)} a month`,
        hint: `${setupFee > 0 ? `${setup} setup. ` : ''}Cancel with 30 days’ notice.`,
      }
    : {
        value: plan,
        label: `Six months up front: ${formatMoney(firstPayment)}`,
        hint: `${setupFee > 0 ? `${setup} setup: you save $500. ` : ''}Renews every six months until you cancel.`,
      }
}

export function InfoStep({ checkout, hasFailed, onAsked }: InfoStepProps) {
  const request = useRequestDemo()
  const [problem, setProblem] = useState<string>()
  const ask = async (values: DemoValues) => {
    setProblem(undefined)
    onAsked(await request.mutateAsync(values), values)
  }
  return (
    <>
      <h1 className="text-title">{texts.title}</h1>
      <p className="mt-1 mb-6 text-muted">Tell us who you are. We get back to you about your setup.</p>
      {hasFailed && (
        <Notice tone="error" title={texts.payFailed} className="mb-4">
          Nothing was charged. Please try again.
        </Notice>
      )}
      <Form
        label={texts.title}
        schema={demoSchema}
        defaultValues={EMPTY}
        onSubmit={ask}
        onFailure={(error) => setProblem(describeError(error, texts.failed).description)}
        className="grid gap-4"
      >
        {(form) => (
          <>
            <TextField form={form} name="orgName" label="Business Name" required autoComplete="organization" />
            <TextField form={form} name="name" label="Your Name" required autoComplete="name" />
            <TextField
              form={form}
              name="phone"
              label="Phone Number"
              type="tel"
              required
              autoComplete="tel"
              inputMode="tel"
            />
            <TextField
              form={form}
              name="email"
              label="Email Address"
              type="email"
              required
              autoComplete="email"
              inputMode="email"
              autoCapitalize="none"
            />
            <TextField form={form} name="industry" label="Industry" required hint="Plumbing, roofing, electrical…" />
            {checkout.offers.length > 1 && (
              <ChoiceField form={form} name="plan" label="How you pay" choices={checkout.offers.map(planOption)} />
            )}
            {problem && <Notice tone="error" title={problem} />}
            <Button type="submit" wide pending={form.formState.isSubmitting}>
              {texts.button}
            </Button>
          </>
        )}
      </Form>
    </>
  )
}

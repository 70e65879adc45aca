// Result of a successful payment.
import { paths } from '@/lib/paths'
import { ExternalButton } from '@/ui/button'
import { Icon } from '@/ui/icon'

export function PaidStep({ email }: { email: string | undefined }) {
  return (
    <div className="grid justify-items-start gap-4">
      <Icon name="check-circle" className="size-12 text-success" />
      <h1 className="text-title">Thank you: your payment has arrived</h1>
      <p>
        If you have no account yet, check your email
        {email ? (
          <>
            {' '}
            at <strong>{email}</strong>
          </>
        ) : null}
        : within a few minutes you get an email with the link that sets yours up.
      </p>
      <p className="text-muted">If you are signed in, your subscription is on its page already.</p>
      {/* Loaded as a page of its own: the staff app needs nothing of Stripe's. */}
      <ExternalButton href={paths.billing} variant="secondary">
        Go to Billing
      </ExternalButton>
    </div>
  )
}

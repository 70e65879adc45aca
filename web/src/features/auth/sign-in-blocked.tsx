// Alternatives while password attempts are blocked for an address.
import { supportsPasskeys } from '@/lib/passkeys'
import { Button } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { ResetLinkSent } from './reset-link-sent'
import { useRequestPasswordReset } from './mutations'

export function SignInBlocked({ email }: { email: string }) {
  const { mutate, isPending, isSuccess } = useRequestPasswordReset()
  if (isSuccess) return <ResetLinkSent email={email} />
  return (
    <Notice tone="warning" title="Someone is trying passwords for this address">
      <p>
        Passwords do not work here for up to an hour.{' '}
        {supportsPasskeys()
          ? 'Sign in with your passkey, or use the link that we can email you'
          : 'Use the link that we can email you'}
        : you choose a new password with it, and sign in right away.
      </p>
      <Button
        variant="secondary"
        icon="mail"
        className="mt-3"
        onClick={() => mutate({ email })}
        pending={isPending}
        pendingText="Sending..."
      >
        Email me a link
      </Button>
    </Notice>
  )
}

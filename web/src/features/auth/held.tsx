// While somebody tries passwords for an address no more are looked at: what still lets its person in.
import { hasPasskeys } from '@/lib/passkeys'
import { Button } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { LinkSent } from './link-sent'
import { useForgotten } from './mutations'

export function Held({ email }: { email: string }) {
  const { mutate, isPending, isSuccess } = useForgotten()
  if (isSuccess) return <LinkSent email={email} />
  return (
    <Notice tone="warning" title="Somebody is trying passwords for this address">
      <p>
        No password is taken here for up to an hour.{' '}
        {hasPasskeys()
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

// Alternatives while password attempts are blocked for an address.
import { t } from '@/lib/i18n'
import { supportsPasskeys } from '@/lib/passkeys'
import { Button } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { ResetLinkSent } from './reset-link-sent'
import { useRequestPasswordReset } from './mutations'

export function SignInBlocked({ email }: { email: string }) {
  const { mutate, isPending, isSuccess } = useRequestPasswordReset()
  if (isSuccess) return <ResetLinkSent email={email} />
  return (
    <Notice tone="warning" title={t('Someone is trying passwords for this address')}>
      <p>
        {t('Passwords do not work here for up to an hour.')}{' '}
        {supportsPasskeys()
          ? t(
              'Sign in with your passkey, or use the link that we can email you: you choose a new password with it, and sign in right away.',
            )
          : t('Use the link that we can email you: you choose a new password with it, and sign in right away.')}
      </p>
      <Button
        variant="secondary"
        icon="mail"
        className="mt-3"
        onClick={() => mutate({ email })}
        pending={isPending}
        pendingText={t('Sending...')}
      >
        {t('Email me a link')}
      </Button>
    </Notice>
  )
}

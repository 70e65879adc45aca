// Banner for members whose own email is unconfirmed.
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { useResendConfirmation } from './queries'

export function EmailConfirmationNotice() {
  const { email, isEmailProven, role } = useCurrentUser()
  const send = useResendConfirmation()
  if (role === 'owner' || isEmailProven) return null
  return (
    <aside
      aria-label={t('Your email address')}
      className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 border-b border-warning/40 bg-warning/8 px-3 py-1 text-note sm:px-4 lg:px-6"
    >
      <Icon name="alert" className="size-4 shrink-0 text-warning" />
      <p className="min-w-0 flex-1 basis-48 wrap-anywhere">
        <b className="text-warning">{t('Your email address is not confirmed yet.')}</b>{' '}
        {t('Open the link that we send to {email}, so that no one else can use it.', { email })}
      </p>
      <Button variant="ghost" pending={send.isPending} pendingText={t('Sending...')} onClick={() => send.mutate()}>
        {t('Send the link')}
      </Button>
    </aside>
  )
}

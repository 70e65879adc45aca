// Banner while sending is blocked or limited.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { isSendingBlocked } from '@/domain/trust'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { trustQuery, useResendConfirmation } from './queries'

const describePublicPages = (count: number) =>
  t('Until then your public pages say that it is not confirmed, and take {count} requests a day.', { count })

export function TrustNotice() {
  const { orgId, email, isEmailProven, role } = useCurrentUser()
  const { data } = useQuery(trustQuery(orgId))
  const send = useResendConfirmation()
  const isNew = data?.level === 'new'
  const publicPages = data?.publicRequestsADay ? ` ${describePublicPages(data.publicRequestsADay)}` : ''
  const isUnpaid = data !== undefined && isSendingBlocked(data) && !isNew
  if (!isNew && !isUnpaid) return null
  return (
    <aside
      aria-label={t('What your business can send')}
      className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 border-b border-warning/40 bg-warning/8 px-3 py-1 text-note sm:px-4 lg:px-6"
    >
      <Icon name="alert" className="size-4 shrink-0 text-warning" />
      {isNew && role !== 'owner' && (
        <p className="min-w-0 flex-1 basis-48">
          <b className="text-warning">{t('The owner has not confirmed the email address of the business yet.')}</b>{' '}
          {t('Nothing goes to your customers until they do.')}
          {publicPages}
        </p>
      )}
      {isNew && role === 'owner' ? (
        <>
          <p className="min-w-0 flex-1 basis-48 wrap-anywhere">
            <b className="text-warning">{t('Confirm your email address.')}</b>{' '}
            {data.mailLeaves
              ? t('Open the link that we sent to {email}.', { email })
              : t(
                  'Email is not set up here, so the link to {email} was saved as a file. Ask the person who runs your Toolbox for the link, then open it.',
                  { email },
                )}{' '}
            {t('Nothing goes to your customers until your address is confirmed.')}
            {publicPages}
          </p>
          {!isEmailProven && (
            <Button
              variant="ghost"
              pending={send.isPending}
              pendingText={t('Sending...')}
              onClick={() => send.mutate()}
            >
              {t('Send it again')}
            </Button>
          )}
        </>
      ) : (
        !isNew && (
          <>
            <p className="min-w-0 flex-1 basis-48">
              <b className="text-warning">{t('Nothing goes to your customers yet.')}</b>{' '}
              {t(
                'You see here what would be sent. It begins with your first payment, or when the person who runs your Toolbox allows it.',
              )}
            </p>
            <Link to={paths.settings('subscription')} className="text-link inline-flex min-h-11 shrink-0 items-center">
              {t('Billing')}
            </Link>
          </>
        )
      )}
    </aside>
  )
}

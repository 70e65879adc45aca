import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { describeError, type ErrorText } from '@/api/errors'
import { isSendingNow, describeHeldDelivery } from '@/domain/delivery-outlook'
import { isDemoMode } from '@/lib/demo'
import { formatPhone } from '@/lib/format/phone'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { createKey } from '@/lib/submission-key'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import type { IconName } from '@/ui/icon'
import { Notice } from '@/ui/notice'
import { settingsMessages } from '../messages'
import { sendingNumberQuery } from '../organization/sending-number'
import { useSendPulse, useSendTestEmail, useSendTestText } from '../mutations'

export function DeliveryTestsCard() {
  const { email, orgId } = useCurrentUser()
  const { data: number } = useQuery(sendingNumberQuery(orgId))
  const byEmail = useSendTestEmail()
  const bySms = useSendTestText()
  return (
    <Card title={t('Test what is set up')} icon="send">
      <div className="grid gap-5">
        <TestButton test={byEmail} icon="mail" label={t('Send Test Email')} texts={settingsMessages.testEmail}>
          {t('It goes to you, at {email}.', { email })}
        </TestButton>
        <TestButton
          test={bySms}
          icon="message"
          label={t('Send Test SMS')}
          texts={settingsMessages.testSms}
          blocked={
            number?.why && (
              <>
                {t('Off: {why}.', { why: number.why })}{' '}
                <Link to={paths.textingNumber} className="text-link">
                  {t('Set up a number')}
                </Link>
              </>
            )
          }
        >
          {t('It goes to your first SMS recipient, else to your business phone.')}
        </TestButton>
        <SendPulseButton />
      </div>
    </Card>
  )
}

const formatRecipient = (to: string) => (to.includes('@') ? to : formatPhone(to))

type TestProps = {
  test: ReturnType<typeof useSendTestEmail>
  icon: IconName
  label: string
  texts: { success: { title: string }; failure: ErrorText }
  /** Why nothing can be tested. */ blocked?: ReactNode
  children: ReactNode
}

function TestButton({ test, icon, label, texts: { success, failure }, blocked, children }: TestProps) {
  const isOnline = useOnline()
  return (
    <div className="grid gap-2">
      <Button
        variant="secondary"
        icon={icon}
        wide
        disabled={!isOnline || Boolean(blocked)}
        pending={test.isPending}
        pendingText={t('Sending...')}
        onClick={() => test.mutate()}
      >
        {label}
      </Button>
      <p className="text-caption text-muted wrap-anywhere">
        {isOnline ? blocked || children : t('You are offline. Nothing can be sent now.')}
      </p>
      {/* The demonstration shows the reason elsewhere. */}
      {test.isError && !isDemoMode() && (
        <Notice tone="error" title={failure.title}>
          {describeError(test.error, failure).description}
        </Notice>
      )}
      {test.isSuccess && isSendingNow(test.data.outlook) && (
        <Notice tone="success" title={success.title}>
          <span className="wrap-anywhere">
            {t('On its way to {recipient}. If it does not arrive within a minute, look at System Status.', {
              recipient: formatRecipient(test.data.to),
            })}
          </span>
        </Notice>
      )}
      {test.isSuccess && !isSendingNow(test.data.outlook) && (
        <Notice tone="warning" title={settingsMessages.testWaits}>
          <span className="wrap-anywhere">
            {t('To {recipient}.', { recipient: formatRecipient(test.data.to) })}{' '}
            {describeHeldDelivery(test.data.outlook)}
          </span>
        </Notice>
      )}
    </div>
  )
}

/** The report goes to everybody on the list at once, and says whom it cannot reach. */
function SendPulseButton() {
  const isOnline = useOnline()
  const send = useSendPulse()
  const { failure } = settingsMessages.pulse
  const sentTo = send.data?.sentTo ?? []
  const [leaving, waiting] = [
    sentTo.filter(({ outlook }) => isSendingNow(outlook)),
    sentTo.filter(({ outlook }) => !isSendingNow(outlook)),
  ]
  const isWhole = leaving.length > 0 && waiting.length === 0 && send.data?.notSent.length === 0
  const partly = leaving.length > 0 ? settingsMessages.pulse.partly.title : settingsMessages.pulse.waits
  const title = isWhole ? settingsMessages.pulse.success.title : partly
  return (
    <div className="grid gap-2">
      <Button
        variant="secondary"
        icon="document"
        wide
        disabled={!isOnline}
        pending={send.isPending}
        pendingText={t('Sending...')}
        onClick={() => send.mutate(createKey())}
      >
        {t('Send KPI Pulse')}
      </Button>
      <p className="text-caption text-muted">
        {isOnline
          ? t('The report of the last seven days goes to your recipients now, else to you.')
          : t('You are offline. Nothing can be sent now.')}
      </p>
      {send.isError && !isDemoMode() && (
        <Notice tone="error" title={failure.title}>
          {describeError(send.error, failure).description}
        </Notice>
      )}
      {send.isSuccess && (
        <Notice tone={isWhole ? 'success' : 'warning'} title={title}>
          {leaving.length > 0 && (
            <span className="wrap-anywhere">
              {t('On its way to {recipients}.', {
                recipients: leaving.map(({ to }) => formatRecipient(to)).join(', '),
              })}
            </span>
          )}
          {waiting.map(({ to, outlook }) => (
            <span key={to} className="block wrap-anywhere">
              {t('To {recipient}:', { recipient: formatRecipient(to) })} {outlook?.text}
            </span>
          ))}
          {send.data.notSent.map(({ to, reason }) => (
            <span key={to} className="block wrap-anywhere">
              {t('Not to {recipient}: {reason}', { recipient: formatRecipient(to), reason })}
            </span>
          ))}
        </Notice>
      )}
    </div>
  )
}

// A test email, a test text and the report of the figures that really leave, or what is missing for them.
import type { ReactNode } from 'react'
import { describeError, type ErrorText } from '@/api/errors'
import { leaves, waitingSentence } from '@/domain/outlook'
import { inDemo } from '@/lib/demo'
import { formatPhone } from '@/lib/format/phone'
import { useOnline } from '@/lib/hooks/use-online'
import { newKey } from '@/lib/submission-key'
import { useCurrentUser } from '@/session/use-session'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import type { IconName } from '@/ui/icon'
import { Notice } from '@/ui/notice'
import { settingsMessages } from '../messages'
import { useSendPulse, useTestEmail, useTestSms } from '../mutations'

export function TestsCard() {
  const { email } = useCurrentUser()
  const byEmail = useTestEmail()
  const bySms = useTestSms()
  return (
    <Card title="Test what is set up" icon="send">
      <div className="grid gap-5">
        <Test test={byEmail} icon="mail" label="Send Test Email" texts={settingsMessages.testEmail}>
          It goes to you, at {email}.
        </Test>
        <Test test={bySms} icon="message" label="Send Test SMS" texts={settingsMessages.testSms}>
          It goes to your first SMS recipient, else to your business phone.
        </Test>
        <SendPulse />
      </div>
    </Card>
  )
}

const shownAs = (to: string) => (to.includes('@') ? to : formatPhone(to))

type TestProps = {
  test: ReturnType<typeof useTestEmail>
  icon: IconName
  label: string
  texts: { success: { title: string }; failure: ErrorText }
  children: ReactNode
}

function Test({ test, icon, label, texts: { success, failure }, children }: TestProps) {
  const isOnline = useOnline()
  return (
    <div className="grid gap-2">
      <Button
        variant="secondary"
        icon={icon}
        wide
        disabled={!isOnline}
        pending={test.isPending}
        pendingText="Sending..."
        onClick={() => test.mutate()}
      >
        {label}
      </Button>
      <p className="text-caption text-muted wrap-anywhere">
        {isOnline ? children : 'You are offline. Nothing can be sent now.'}
      </p>
      {/* The demonstration has said why already. */}
      {test.isError && !inDemo() && (
        <Notice tone="error" title={failure.title}>
          {describeError(test.error, failure).description}
        </Notice>
      )}
      {test.isSuccess && leaves(test.data.outlook) && (
        <Notice tone="success" title={success.title}>
          <span className="wrap-anywhere">
            On its way to {shownAs(test.data.to)}. If it does not arrive within a minute, look at System Status.
          </span>
        </Notice>
      )}
      {test.isSuccess && !leaves(test.data.outlook) && (
        <Notice tone="warning" title={settingsMessages.testWaits}>
          <span className="wrap-anywhere">
            To {shownAs(test.data.to)}. {waitingSentence(test.data.outlook)}
          </span>
        </Notice>
      )}
    </div>
  )
}

/** The report goes to everybody on the list at once, and says whom it cannot reach. */
function SendPulse() {
  const isOnline = useOnline()
  const send = useSendPulse()
  const { failure } = settingsMessages.pulse
  const sentTo = send.data?.sentTo ?? []
  const [leaving, waiting] = [
    sentTo.filter(({ outlook }) => leaves(outlook)),
    sentTo.filter(({ outlook }) => !leaves(outlook)),
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
        pendingText="Sending..."
        onClick={() => send.mutate(newKey())}
      >
        Send KPI Pulse
      </Button>
      <p className="text-caption text-muted">
        {isOnline
          ? 'The report of the last seven days goes to your recipients now, else to you.'
          : 'You are offline. Nothing can be sent now.'}
      </p>
      {send.isError && !inDemo() && (
        <Notice tone="error" title={failure.title}>
          {describeError(send.error, failure).description}
        </Notice>
      )}
      {send.isSuccess && (
        <Notice tone={isWhole ? 'success' : 'warning'} title={title}>
          {leaving.length > 0 && (
            <span className="wrap-anywhere">On its way to {leaving.map(({ to }) => shownAs(to)).join(', ')}.</span>
          )}
          {waiting.map(({ to, outlook }) => (
            <span key={to} className="block wrap-anywhere">
              To {shownAs(to)}: {outlook?.text}
            </span>
          ))}
          {send.data.notSent.map(({ to, reason }) => (
            <span key={to} className="block wrap-anywhere">
              Not to {shownAs(to)}: {reason}
            </span>
          ))}
        </Notice>
      )}
    </div>
  )
}

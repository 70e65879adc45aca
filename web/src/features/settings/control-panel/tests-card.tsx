// A test email and a test text that really leave, or what is missing for them.
import type { ReactNode } from 'react'
import { describeError, type ErrorText } from '@/api/errors'
import { formatPhone } from '@/lib/format/phone'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/session/use-session'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import type { IconName } from '@/ui/icon'
import { Notice } from '@/ui/notice'
import { settingsMessages } from '../messages'
import { useTestEmail, useTestSms } from '../mutations'

export function TestsCard() {
  const { email } = useCurrentUser()
  const byEmail = useTestEmail()
  const bySms = useTestSms()
  return (
    <Card title="Test what is set up" icon="send">
      <div className="grid gap-5">
        <Test test={byEmail} icon="mail" label="Send Test Email" texts={settingsMessages.testEmail}>It goes to you, at {email}.</Test>
        <Test test={bySms} icon="message" label="Send Test SMS" texts={settingsMessages.testSms}>It goes to your first SMS recipient, else to your business phone.</Test>
      </div>
    </Card>
  )
}

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
      <Button variant="secondary" icon={icon} wide disabled={!isOnline} pending={test.isPending} pendingText="Sending..." onClick={() => test.mutate()}>{label}</Button>
      <p className="text-caption text-muted wrap-anywhere">{isOnline ? children : 'You are offline. Nothing can be sent now.'}</p>
      {test.isError && <Notice tone="error" title={failure.title}>{describeError(test.error, failure).description}</Notice>}
      {test.isSuccess && <Notice tone="success" title={success.title}><span className="wrap-anywhere">On its way to {test.data.to.includes('@') ? test.data.to : formatPhone(test.data.to)}. If it does not arrive within a minute, look at System Status.</span></Notice>}
    </div>
  )
}

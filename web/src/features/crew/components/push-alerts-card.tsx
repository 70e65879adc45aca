import { useQuery } from '@tanstack/react-query'
import { describeError } from '@/api/errors'
import { isDemoMode } from '@/lib/demo'
import { t } from '@/lib/i18n'
import { getDeviceId, PushDeniedError } from '@/pwa/push-subscription'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { StatusLine } from '@/ui/status-line'
import { pushMessages } from '@/features/settings/push-messages'
import { usePushState } from '@/features/settings/organization/use-push-state'
import { useEnablePush } from '@/features/settings/push-mutations'
import { settingsQueries } from '@/features/settings/queries'

const INSTALL_REQUIRED_TEXT = t(
  'On an iPhone only an app on the home screen gets alerts: tap Share, choose Add to Home Screen, and open Toolbox from there.',
)
const BLOCKED_TEXT = t('Alerts are blocked on this phone. Allow notifications for this site in the browser’s settings.')

export function PushAlertsCard() {
  const { orgId } = useCurrentUser()
  const { state, refresh } = usePushState()
  const devices = useQuery(settingsQueries.devices(orgId))
  const turnOn = useEnablePush()
  const here = devices.data?.find(({ id }) => id === getDeviceId())
  const isOn = state === 'on' && (devices.data === undefined || (here !== undefined && !here.deadAt))
  // Neither known yet, nor anything to be done about it here.
  if (state === undefined || state === 'unsupported') return null
  if (isOn)
    return (
      <StatusLine tone="success" icon="bell">
        {t('This phone gets an alert when your schedule changes.')}
      </StatusLine>
    )
  return (
    <Card title={t('Alerts on this phone')} icon="bell">
      <div className="grid gap-3">
        <p className="text-muted">
          {state === 'install-first'
            ? INSTALL_REQUIRED_TEXT
            : state === 'denied'
              ? BLOCKED_TEXT
              : t(
                  'Get an alert right away when one of your jobs is moved, added or cancelled, even with the app closed.',
                )}
        </p>
        {/* The demonstration shows the reason elsewhere. */}
        {turnOn.error && !isDemoMode() && (
          <StatusLine tone="error" icon="alert">
            {turnOn.error instanceof PushDeniedError
              ? BLOCKED_TEXT
              : describeError(turnOn.error, pushMessages.pushFailed).description}
          </StatusLine>
        )}
        {state !== 'install-first' && state !== 'denied' && (
          <Button
            icon="bell"
            variant="secondary"
            wide
            pending={turnOn.isPending}
            pendingText={t('Turning on...')}
            onClick={() => turnOn.mutate(undefined, { onSettled: refresh })}
          >
            {t('Turn on alerts')}
          </Button>
        )}
      </div>
    </Card>
  )
}

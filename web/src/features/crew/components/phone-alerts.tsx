// Alerts on this phone for whoever is on site: their schedule has changed.
import { useQuery } from '@tanstack/react-query'
import { describeError } from '@/api/errors'
import { inDemo } from '@/lib/demo'
import { knownDevice, PushRefused } from '@/pwa/push-subscription'
import { useCurrentUser } from '@/session/use-session'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { StateLine } from '@/ui/state-line'
import { settingsMessages } from '@/features/settings/messages'
import { usePushState } from '@/features/settings/organization/use-push-state'
import { useTurnPushOn } from '@/features/settings/push-mutations'
import { settingsQueries } from '@/features/settings/queries'

const INSTALL_FIRST =
  'On an iPhone only an app on the home screen gets alerts: tap Share, choose Add to Home Screen, and open Toolbox from there.'
const BLOCKED = 'Alerts are blocked on this phone. Allow notifications for this site in the browser’s settings.'

export function PhoneAlerts() {
  const { orgId } = useCurrentUser()
  const { state, refresh } = usePushState()
  const devices = useQuery(settingsQueries.devices(orgId))
  const turnOn = useTurnPushOn()
  const here = devices.data?.find(({ id }) => id === knownDevice())
  const isOn = state === 'on' && (devices.data === undefined || (here !== undefined && !here.deadAt))
  // Neither known yet, nor anything to be done about it here.
  if (state === undefined || state === 'unsupported') return null
  if (isOn)
    return (
      <StateLine tone="success" icon="bell">
        You hear on this phone when your schedule changes.
      </StateLine>
    )
  return (
    <Card title="Alerts on this phone" icon="bell">
      <div className="grid gap-3">
        <p className="text-muted">
          {state === 'install-first'
            ? INSTALL_FIRST
            : state === 'denied'
              ? BLOCKED
              : 'Hear at once when a job of yours is moved, added or cancelled, even with the app closed.'}
        </p>
        {/* The demonstration has said why already. */}
        {turnOn.error && !inDemo() && (
          <StateLine tone="error" icon="alert">
            {turnOn.error instanceof PushRefused
              ? BLOCKED
              : describeError(turnOn.error, settingsMessages.pushFailed).description}
          </StateLine>
        )}
        {state !== 'install-first' && state !== 'denied' && (
          <Button
            icon="bell"
            variant="secondary"
            wide
            pending={turnOn.isPending}
            pendingText="Turning on..."
            onClick={() => turnOn.mutate(undefined, { onSettled: refresh })}
          >
            Turn on alerts
          </Button>
        )}
      </div>
    </Card>
  )
}

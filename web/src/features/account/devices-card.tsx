import { useQuery } from '@tanstack/react-query'
import { formatDateTime } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { Button, IconButton } from '@/ui/button'
import { Card } from '@/ui/card'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { deviceName } from './device-name'
import { accountMessages as texts } from './messages'
import { accountQueries, type SignedInDevice, useSignOutDevice, useSignOutOthers } from './queries'

export function DevicesCard() {
  const { orgId, id, orgTimezone } = useCurrentUser()
  const devices = useQuery(accountQueries.devices(orgId, id))
  return (
    <Card title={t('Where you are signed in')} icon="home">
      <QueryBoundary
        query={devices}
        skeleton={<SkeletonLines lines={3} />}
        errorText={texts.devicesFailed}
        timeZone={orgTimezone}
      >
        {(list) => (
          <div className="grid gap-3">
            <ul className="grid gap-2">
              {list.map((device) => (
                <DeviceRow key={device.id} device={device} timeZone={orgTimezone} />
              ))}
            </ul>
            {list.length > 1 && <OtherDevices />}
            <p className="text-note text-muted">
              {t(
                'A phone without a connection cannot hear that it was signed out. It shows what it keeps until the time above, and nothing after that. The owner sets how long under Settings, Your data, Phones without a connection. A phone takes over a new setting when it next reaches Toolbox.',
              )}
            </p>
          </div>
        )}
      </QueryBoundary>
    </Card>
  )
}

const describeSignIn = (date: string, ip: SignedInDevice['ip']) =>
  ip ? t('Signed in {date} from {ip}', { date, ip }) : t('Signed in {date}', { date })

function DeviceRow({
  device: { id, userAgent, ip, signedInAt, lastSeenAt, offlineUntil, isThis },
  timeZone,
}: {
  device: SignedInDevice
  timeZone: string
}) {
  const signOut = useSignOutDevice()
  const isOnline = useOnline()
  const name = deviceName(userAgent)
  return (
    <li className="flex min-h-12 items-center gap-2 rounded-field border border-primary/30 pl-3">
      <span className="min-w-0 flex-1 py-2">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-semibold wrap-anywhere">{name}</span>
          {isThis && (
            <Badge tone="info" icon="pin">
              {t('This device')}
            </Badge>
          )}
        </span>
        <span className="block text-note text-muted">
          {t('Last used {date}', { date: formatDateTime(lastSeenAt, timeZone) })}
        </span>
        <span className="block text-note text-muted wrap-anywhere">
          {describeSignIn(formatDateTime(signedInAt, timeZone), ip)}
        </span>
        {!isThis && (
          <span className="block text-note text-muted">
            {offlineUntil
              ? t('Without a connection it shows data until {date} at the latest', {
                  date: formatDateTime(offlineUntil, timeZone),
                })
              : t('Without a connection it shows data only while the app stays open')}
          </span>
        )}
      </span>
      {!isThis && (
        <IconButton
          label={t('Sign out {name}', { name })}
          icon="logout"
          disabled={!isOnline || signOut.isPending}
          onClick={() => signOut.mutate(id)}
        />
      )}
    </li>
  )
}

function OtherDevices() {
  const signOut = useSignOutOthers()
  const isOnline = useOnline()
  return (
    <Button
      variant="danger"
      icon="logout"
      className="w-fit"
      disabled={!isOnline}
      pending={signOut.isPending}
      pendingText={t('Signing out...')}
      onClick={() => signOut.mutate()}
    >
      {t('Sign out everywhere else')}
    </Button>
  )
}

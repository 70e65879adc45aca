import { formatDateTime, formatTime } from '@/lib/format/date'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { Button, IconButton } from '@/ui/button'
import { StatusLine } from '@/ui/status-line'
import { useRemoveDevice } from '../push-mutations'
import type { PushDevice } from '../types'
import { type DeviceTest, useDeviceTest } from './use-device-test'

type DeviceRowProps = { device: PushDevice; isHere: boolean; onChange: () => void }

export function DeviceRow({ device, isHere, onChange }: DeviceRowProps) {
  const { orgTimezone } = useCurrentUser()
  const remove = useRemoveDevice()
  const test = useDeviceTest(device)
  const isDead = Boolean(device.deadAt)
  return (
    <li className="grid gap-1 rounded-field border border-primary/30 py-2 pl-3">
      <div className="flex min-h-12 items-center gap-2">
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-semibold wrap-anywhere">{device.label}</span>
          {isHere && (
            <Badge tone="info" icon="pin">
              {t('This device')}
            </Badge>
          )}
          {!device.isThisAccount && (
            <Badge tone="neutral" icon="user">
              {t('A colleague’s')}
            </Badge>
          )}
        </div>
        <IconButton
          label={t('Remove {label}', { label: device.label })}
          icon="trash"
          disabled={remove.isPending}
          onClick={() => remove.mutate({ id: device.id, isHere }, { onSettled: onChange })}
        />
      </div>
      <div className="grid gap-2 pr-3">
        {isDead ? (
          <DeadDeviceNotice device={device} timeZone={orgTimezone} />
        ) : (
          <p className="text-note text-muted">{describeLastAlert(device, orgTimezone)}</p>
        )}
        {!isDead && (
          <Button
            variant="secondary"
            icon="send"
            className="w-fit"
            aria-label={t('Send me a test on {label}', { label: device.label })}
            pending={test.state === 'waiting'}
            pendingText={t('Waiting for the phone...')}
            onClick={test.start}
          >
            {t('Send me a test')}
          </Button>
        )}
        <TestStatus test={test} seenAt={device.seenAt} timeZone={orgTimezone} />
      </div>
    </li>
  )
}

function describeLastAlert({ lastSentAt, createdAt }: PushDevice, timeZone: string): string {
  return lastSentAt
    ? t('Last alert {date}', { date: formatDateTime(lastSentAt, timeZone) })
    : t('Since {date}, no alert yet', { date: formatDateTime(createdAt, timeZone) })
}

function DeadDeviceNotice({ device: { deadAt, fault }, timeZone }: { device: PushDevice; timeZone: string }) {
  const date = formatDateTime(deadAt ?? '', timeZone)
  return (
    <StatusLine tone="error" icon="alert">
      {fault
        ? t('Gets nothing since {date}: {fault}. Turn alerts on again on that device, or remove it here.', {
            date,
            fault,
          })
        : t('Gets nothing since {date}. Turn alerts on again on that device, or remove it here.', { date })}
    </StatusLine>
  )
}

function TestStatus({
  test: { state },
  seenAt,
  timeZone,
}: {
  test: DeviceTest
  seenAt: PushDevice['seenAt']
  timeZone: string
}) {
  return (
    <div role="status">
      {state === 'seen' && seenAt && (
        <StatusLine tone="success" icon="check-circle">
          {t('seen {time}', { time: formatTime(seenAt, timeZone) })}
        </StatusLine>
      )}
      {state === 'silent' && (
        <StatusLine tone="warning" icon="alert">
          {t('Nothing came back. Is the phone on, online, and not in Do not disturb? It may still arrive.')}
        </StatusLine>
      )}
      {state === 'idle' && seenAt && (
        <p className="text-caption text-muted">
          {t('Last test seen {date}', { date: formatDateTime(seenAt, timeZone) })}
        </p>
      )}
    </div>
  )
}

import { useQuery } from '@tanstack/react-query'
import { describeError } from '@/api/errors'
import { isDemoMode } from '@/lib/demo'
import { t } from '@/lib/i18n'
import { getDeviceId, PushDeniedError, type PushState } from '@/pwa/push-subscription'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { StatusLine } from '@/ui/status-line'
import { settingsMessages } from '../messages'
import { pushMessages } from '../push-messages'
import { useEnablePush } from '../push-mutations'
import { settingsQueries } from '../queries'
import type { PushDevice } from '../types'
import { DeviceRow } from './device-row'
import { usePushState } from './use-push-state'

export function PushCard() {
  const { orgId } = useCurrentUser()
  const { state, refresh } = usePushState()
  const devices = useQuery(settingsQueries.devices(orgId))
  return (
    <Card title={t('Alerts on this device')} icon="bell">
      <div className="grid gap-5">
        <ThisDevice state={state} onChange={refresh} devices={devices.data} />
        <QueryBoundary
          query={devices}
          skeleton={<SkeletonLines lines={3} />}
          errorText={settingsMessages.devicesFailed}
        >
          {(list) => <DeviceList devices={list} onChange={refresh} />}
        </QueryBoundary>
      </div>
    </Card>
  )
}

type ThisDeviceProps = { state: PushState | undefined; onChange: () => void; devices: PushDevice[] | undefined }

function ThisDevice({ state, onChange, devices }: ThisDeviceProps) {
  const here = devices?.find(({ id }) => id === getDeviceId())
  // The server may have lost the device, or given up its address: then alerts are off, whatever the browser believes.
  const isOn = state === 'on' && (devices === undefined || (here !== undefined && !here.deadAt))
  if (isOn)
    return (
      <StatusLine tone="success" icon="check-circle">
        {t('Alerts are on here. A new lead reaches this device even with the app closed.')}
      </StatusLine>
    )
  if (state === undefined) return <SkeletonLines lines={2} />
  if (state === 'install-first') return <InstallRequired />
  if (state === 'unsupported')
    return (
      <Notice tone="info" title={t('This browser has no alerts')}>
        {t('Open Toolbox in Chrome, Edge, Firefox or Safari on your phone. Until then texts and emails reach you.')}
      </Notice>
    )
  if (state === 'denied') {
    return (
      <Notice tone="warning" title={t('Alerts are blocked on this device')}>
        {t('Allow notifications for this site in the browser’s settings, then come back here.')}
      </Notice>
    )
  }
  return <EnableButton onChange={onChange} />
}

function InstallRequired() {
  return (
    <Notice tone="info" title={t('Put Toolbox on the home screen first')} icon="share-up">
      {t(
        'On an iPhone or iPad only an app on the home screen gets alerts: tap Share, choose Add to Home Screen, then open Toolbox from there and come back here.',
      )}
    </Notice>
  )
}

function EnableButton({ onChange }: { onChange: () => void }) {
  const turnOn = useEnablePush()
  return (
    <div className="grid gap-3">
      <p className="text-muted">
        {t(
          'A new lead shows up on this device the moment it comes in, even with the app closed. The browser asks you once.',
        )}
      </p>
      {/* The demonstration shows the reason elsewhere. */}
      {turnOn.error && !isDemoMode() && (
        <Notice tone="error" title={pushMessages.pushFailed.title}>
          {turnOn.error instanceof PushDeniedError
            ? t('This device said no. Allow notifications for this site in the browser’s settings.')
            : describeError(turnOn.error, pushMessages.pushFailed).description}
        </Notice>
      )}
      <Button
        icon="bell"
        wide
        pending={turnOn.isPending}
        pendingText={t('Turning on...')}
        onClick={() => turnOn.mutate(undefined, { onSettled: onChange })}
      >
        {t('Turn on alerts')}
      </Button>
    </div>
  )
}

function DeviceList({ devices, onChange }: { devices: PushDevice[]; onChange: () => void }) {
  if (devices.length === 0)
    return (
      <p className="text-note text-muted">
        {t('No device gets alerts yet. Texts and emails go to the recipients below.')}
      </p>
    )
  return (
    <section aria-label={t('Devices with alerts')} className="grid gap-2">
      <h3 className="font-semibold">{t('Devices')}</h3>
      <ul className="grid gap-2">
        {devices.map((device) => (
          <DeviceRow key={device.id} device={device} isHere={device.id === getDeviceId()} onChange={onChange} />
        ))}
      </ul>
    </section>
  )
}

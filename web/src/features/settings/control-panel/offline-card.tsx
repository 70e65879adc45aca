// Lease of offline data.
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { settingsMessages } from '../messages'
import { settingsQueries } from '../queries'
import { useSaveWithUndo } from '../use-save-with-undo'

const LEASE_OPTIONS = [
  [0, t('Only while the app is open')],
  [1, t('1 hour')],
  [4, t('4 hours')],
  [8, t('8 hours')],
  [12, t('12 hours (a working day)')],
  [24, t('24 hours')],
  [72, t('3 days')],
] as const

export function OfflineCard() {
  const { orgId, orgTimezone } = useCurrentUser()
  const settings = useQuery(settingsQueries.settings(orgId))
  return (
    <Card title={t('Phones without a connection')} icon="offline">
      <QueryBoundary
        query={settings}
        skeleton={<SkeletonLines lines={2} />}
        errorText={settingsMessages.settingsFailed}
        timeZone={orgTimezone}
      >
        {({ devices }) => <LeaseSelect hours={devices.offlineHours} />}
      </QueryBoundary>
    </Card>
  )
}

function LeaseSelect({ hours }: { hours: number }) {
  const id = useId()
  const { save, isPending } = useSaveWithUndo()
  const choose = (offlineHours: number) =>
    save({
      what: t('Readable offline: {period}', {
        period: LEASE_OPTIONS.find(([value]) => value === offlineHours)?.[1] ?? '',
      }),
      patch: { devices: { offlineHours } },
      back: { devices: { offlineHours: hours } },
    })
  return (
    <div className="grid gap-3">
      <p>
        {t(
          'Phones keep an encrypted copy of the day, so that your crew can work in a basement. The key comes from Toolbox.',
        )}
      </p>
      <div className="grid gap-1">
        <label htmlFor={id} className="font-semibold">
          {t('A phone that was not in contact stays readable for')}
        </label>
        <select
          id={id}
          className="select"
          value={hours}
          disabled={isPending}
          onChange={({ target }) => choose(Number(target.value))}
        >
          {LEASE_OPTIONS.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <p className="text-note text-muted">
        {t(
          'Sign a phone out or remove someone, and the phone shows nothing as soon as it reaches Toolbox. A phone that is offline cannot know that yet: it shows nothing once this time is over.',
        )}{' '}
        {hours === 0
          ? t('It closes 5 minutes after the screen is locked, and a crew without a connection then cannot open it.')
          : t('Each contact starts the time over.')}{' '}
        {t('Work that was not sent yet stays encrypted, and is sent when the same person signs in again.')}
      </p>
    </div>
  )
}

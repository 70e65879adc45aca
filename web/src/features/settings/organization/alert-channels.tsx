// Alert channels that reach staff now, and the resulting response promise.
import { useQuery } from '@tanstack/react-query'
import type { Schema } from '@/api/client'
import { formatDateTime } from '@/lib/format/date'
import { capitalize } from '@/lib/format/identifier'
import { formatPhone } from '@/lib/format/phone'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Notice } from '@/ui/notice'
import { StatusLine } from '@/ui/status-line'
import { settingsQueries } from '../queries'

type AlertChannel = Schema['AlertWay']

/** The name of a way: "Email to office@acme.example". */
function describeChannel({ by, to }: AlertChannel): string {
  if (by === 'push') return t('Alerts on devices')
  return by === 'sms' ? t('Text to {to}', { to: formatPhone(to ?? '') }) : t('Email to {to}', { to: to ?? '' })
}

export function AlertChannels() {
  const { orgId, orgTimezone } = useCurrentUser()
  const { data: alertWays } = useQuery(settingsQueries.alertWays(orgId))
  if (!alertWays) return null
  return (
    <section aria-label={t('How you hear about a new request')} className="grid gap-2">
      {alertWays.toldFrom == null && (
        <Notice tone="warning" title={t('No alert is on: we promise no time')}>
          {t(
            'No one would hear about a new request, so our texts, emails and the quote page give customers no time for an answer. Turn on one of these ways.',
          )}
        </Notice>
      )}
      <ul className="grid gap-1.5">
        {alertWays.ways.map((channel) => (
          <li key={`${channel.by} ${channel.to ?? ''}`}>
            <ChannelRow channel={channel} zone={orgTimezone} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function ChannelRow({ channel, zone }: { channel: AlertChannel; zone: string | undefined }) {
  if (channel.from == null)
    return (
      <StatusLine plain tone="warning" icon="alert">
        {t('{channel}: off.', { channel: describeChannel(channel) })}
        {channel.why != null && ` ${capitalize(channel.why)}.`}
      </StatusLine>
    )
  if (channel.why != null)
    return (
      <StatusLine plain tone="neutral" icon="clock">
        {t('{channel}: from {date}.', { channel: describeChannel(channel), date: formatDateTime(channel.from, zone) })}{' '}
        {capitalize(channel.why)}.
      </StatusLine>
    )
  return (
    <StatusLine plain tone="success" icon="check-circle">
      {t('{channel}: right away', { channel: describeChannel(channel) })}
    </StatusLine>
  )
}

// Webhook addresses of providers, and whether each works.
import { useQuery } from '@tanstack/react-query'
import { formatDateTime } from '@/lib/format/date'
import { formatCount } from '@/lib/format/number'
import { useCurrentUser } from '@/features/session/use-session'
import { plural, t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { CopyField } from '@/ui/copy-field'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { StatusLine } from '@/ui/status-line'
import { settingsMessages } from '../messages'
import { settingsQueries } from '../queries'
import type { WebhookAddress, WebhookStatus } from '../types'

const PROVIDERS = {
  twilio: {
    title: t('Addresses for Twilio'),
    about: t(
      'Paste each into your number’s page in the Twilio console. Without them nothing you are texted or rung arrives here.',
    ),
    notSetUp: { title: t('SMS is not set up'), why: t('Ask the person who runs your Toolbox.') },
    unreachable: t('Twilio cannot reach your Toolbox'),
  },
  stripe: {
    title: t('Addresses for Stripe'),
    about: t(
      'Paste the one for card payments into an endpoint in the Stripe dashboard. Without it a payment can show hours later.',
    ),
    notSetUp: { title: t('Calls from Stripe are not set up'), why: t('There are no keys of Stripe’s yet.') },
    unreachable: t('Stripe cannot reach your Toolbox'),
  },
} as const

type ProviderName = keyof typeof PROVIDERS

export function ProviderWebhooksCard({ provider }: { provider: ProviderName }) {
  const { orgId, orgTimezone } = useCurrentUser()
  const webhooks = useQuery(settingsQueries.webhooks(orgId))
  return (
    <Card title={PROVIDERS[provider].title} icon="external">
      <QueryBoundary
        query={webhooks}
        skeleton={<SkeletonLines lines={8} />}
        errorText={settingsMessages.webhooksFailed}
        timeZone={orgTimezone}
      >
        {(status) => <Addresses provider={provider} status={status[provider]} timeZone={orgTimezone} />}
      </QueryBoundary>
    </Card>
  )
}

type AddressesProps = { provider: ProviderName; status: WebhookStatus[ProviderName]; timeZone: string }

function Addresses({ provider, status: { isSetUp, isReachable, why, addresses }, timeZone }: AddressesProps) {
  const { about, notSetUp, unreachable } = PROVIDERS[provider]
  return (
    <div className="grid gap-5">
      <p className="text-note text-muted">{about}</p>
      {!isSetUp && (
        <Notice tone="warning" title={notSetUp.title}>
          {why ?? notSetUp.why}
        </Notice>
      )}
      {isSetUp && !isReachable && (
        <Notice tone="warning" title={unreachable}>
          {why ?? t('Its address is not a public one.')}
        </Notice>
      )}
      <ul aria-label={PROVIDERS[provider].title} className="grid gap-5">
        {addresses.map((address) => (
          <AddressRow key={address.name} provider={provider} address={address} timeZone={timeZone} />
        ))}
      </ul>
    </div>
  )
}

function AddressRow({
  provider,
  address,
  timeZone,
}: {
  provider: ProviderName
  address: WebhookAddress
  timeZone: string
}) {
  const { name, url, lastReceivedAt, lastFailedAt, refused, lastRefusedAt } = address
  return (
    <li className="grid gap-2">
      <h3 className="font-semibold">{name}</h3>
      <CopyField
        label={name}
        value={url}
        copied={settingsMessages.copied[provider]}
        failed={settingsMessages.copyFailed}
      />
      {lastReceivedAt ? (
        <StatusLine tone="success" icon="check-circle">
          {t('seen working, last received {date}', { date: formatDateTime(lastReceivedAt, timeZone) })}
        </StatusLine>
      ) : (
        <StatusLine tone="neutral" icon="clock">
          {t('nothing received yet')}
        </StatusLine>
      )}
      {lastFailedAt && (
        <StatusLine tone="warning" icon="alert">
          {t('last failed {date}', { date: formatDateTime(lastFailedAt, timeZone) })}
        </StatusLine>
      )}
      {refused > 0 && (
        <StatusLine tone="error" icon="shield">
          {describeRefusals(refused, lastRefusedAt ? formatDateTime(lastRefusedAt, timeZone) : '')}
        </StatusLine>
      )}
    </li>
  )
}

function describeRefusals(refused: number, date: string): string {
  const count = formatCount(refused)
  return date === ''
    ? plural(refused, '{count} call refused for a wrong signature', '{count} calls refused for a wrong signature', {
        count,
      })
    : plural(
        refused,
        '{count} call refused for a wrong signature, last {date}',
        '{count} calls refused for a wrong signature, last {date}',
        { count, date },
      )
}

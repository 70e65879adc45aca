// Webhook addresses of providers, and whether each works.
import { useQuery } from '@tanstack/react-query'
import { formatDateTime } from '@/lib/format/date'
import { formatCount } from '@/lib/format/number'
import { useCurrentUser } from '@/features/session/use-session'
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
    title: 'Addresses for Twilio',
    about:
      'Paste each into your number’s page in the Twilio console. Without them nothing you are texted or rung arrives here.',
    notSetUp: { title: 'SMS is not set up', why: 'Ask the person who runs your Toolbox.' },
    unreachable: 'Twilio cannot reach your Toolbox',
  },
  stripe: {
    title: 'Addresses for Stripe',
    about:
      'Paste the one for card payments into an endpoint in the Stripe dashboard. Without it a payment is found some minutes later.',
    notSetUp: { title: 'Calls from Stripe are not set up', why: 'There are no keys of Stripe’s yet.' },
    unreachable: 'Stripe cannot reach your Toolbox',
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
          {why ?? 'Its address is not a public one.'}
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
          seen working, last received {formatDateTime(lastReceivedAt, timeZone)}
        </StatusLine>
      ) : (
        <StatusLine tone="neutral" icon="clock">
          nothing received yet
        </StatusLine>
      )}
      {lastFailedAt && (
        <StatusLine tone="warning" icon="alert">
          last failed {formatDateTime(lastFailedAt, timeZone)}
        </StatusLine>
      )}
      {refused > 0 && (
        <StatusLine tone="error" icon="shield">
          {refused === 1 ? '1 call' : `${formatCount(refused)} calls`} refused for a wrong signature
          {lastRefusedAt && `, last ${formatDateTime(lastRefusedAt, timeZone)}`}
        </StatusLine>
      )}
    </li>
  )
}

// The addresses to paste into Twilio, and whether each has been seen working.
import { useQuery } from '@tanstack/react-query'
import { formatDateTime } from '@/lib/format/date'
import { formatCount } from '@/lib/format/number'
import { useCurrentUser } from '@/session/use-session'
import { Card } from '@/ui/card'
import { CopyField } from '@/ui/copy-field'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { StateLine } from '@/ui/state-line'
import { settingsMessages } from '../messages'
import { settingsQueries } from '../queries'
import type { WebhookAddress, WebhookStatus } from '../types'

export function WebhooksCard() {
  const { orgId, orgTimezone } = useCurrentUser()
  const webhooks = useQuery(settingsQueries.webhooks(orgId))
  return (
    <Card title="Addresses for Twilio" icon="external">
      <QueryBoundary query={webhooks} skeleton={<SkeletonLines lines={8} />} errorText={settingsMessages.webhooksFailed} timeZone={orgTimezone}>
        {({ twilio }) => <Addresses twilio={twilio} timeZone={orgTimezone} />}
      </QueryBoundary>
    </Card>
  )
}

function Addresses({ twilio: { isSetUp, isReachable, why, addresses }, timeZone }: { twilio: WebhookStatus['twilio']; timeZone: string }) {
  return (
    <div className="grid gap-5">
      <p className="text-note text-muted">Paste each into your number’s page in the Twilio console. Without them nothing you are texted or rung arrives here.</p>
      {!isSetUp && <Notice tone="warning" title="SMS is not set up">{why ?? 'The server has no Twilio account yet. Ask whoever runs it.'}</Notice>}
      {isSetUp && !isReachable && <Notice tone="warning" title="Twilio cannot reach this server">{why ?? 'Its address is not a public one.'}</Notice>}
      <ul className="grid gap-5">
        {addresses.map((address) => <AddressRow key={address.name} address={address} timeZone={timeZone} />)}
      </ul>
    </div>
  )
}

function AddressRow({ address, timeZone }: { address: WebhookAddress; timeZone: string }) {
  const { name, url, lastReceivedAt, lastFailedAt, refused, lastRefusedAt } = address
  return (
    <li className="grid gap-2">
      <h3 className="font-semibold">{name}</h3>
      <CopyField label={name} value={url} copied={settingsMessages.copied} failed={settingsMessages.copyFailed} />
      {lastReceivedAt
        ? <StateLine tone="success" icon="check-circle">seen working, last received {formatDateTime(lastReceivedAt, timeZone)}</StateLine>
        : <StateLine tone="neutral" icon="clock">nothing received yet</StateLine>}
      {lastFailedAt && <StateLine tone="warning" icon="alert">last failed {formatDateTime(lastFailedAt, timeZone)}</StateLine>}
      {refused > 0 && (
        <StateLine tone="error" icon="shield">
          {refused === 1 ? '1 call' : `${formatCount(refused)} calls`} refused for a wrong signature{lastRefusedAt && `, last ${formatDateTime(lastRefusedAt, timeZone)}`}
        </StateLine>
      )}
    </li>
  )
}

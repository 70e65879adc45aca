import { useQuery } from '@tanstack/react-query'
import { formatDateTime } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { BreakableAddress } from '@/ui/breakable-address'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Disclosure } from '@/ui/disclosure'
import { QueryBoundary } from '@/ui/query-boundary'
import { developerQueries, developerMessages, useRetryWebhookCall, type Webhook, type WebhookCall } from './queries'
import { getEventLabel } from './labels'

const STATES = {
  waiting: { tone: 'info', icon: 'clock', word: t('being tried') },
  taken: { tone: 'success', icon: 'check-circle', word: t('taken') },
  failed: { tone: 'error', icon: 'alert', word: t('failed') },
} as const

export function WebhookCallsDialog({
  webhook,
  name,
  timeZone,
  onClose,
}: {
  webhook: Webhook
  name: string
  timeZone: string
  onClose: () => void
}) {
  const { orgId } = useCurrentUser()
  const calls = useQuery(developerQueries.calls(orgId, webhook.id))
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('Log of {name}', { name })}
      actions={
        <Button variant="ghost" onClick={onClose}>
          {t('Close')}
        </Button>
      }
    >
      <QueryBoundary query={calls} errorText={developerMessages.callsFailed} timeZone={timeZone}>
        {(found) =>
          found.length === 0 ? (
            <p className="text-muted">{t('It was told nothing yet.')}</p>
          ) : (
            <ul aria-label={t('Calls')} className="grid gap-4">
              {found.map((call) => (
                <CallRow key={call.id} call={call} webhook={webhook} timeZone={timeZone} />
              ))}
            </ul>
          )
        }
      </QueryBoundary>
    </Dialog>
  )
}

function CallRow({ call, webhook, timeZone }: { call: WebhookCall; webhook: Webhook; timeZone: string }) {
  const { event, state, createdAt, nextAt, tries, body } = call
  const isOnline = useOnline()
  const retry = useRetryWebhookCall(webhook.id)
  const { tone, icon, word } = STATES[state]
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-2 border-t border-base-300 pt-4 first:border-0 first:pt-0">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="font-semibold">{getEventLabel(event)}</h3>
        <Badge tone={tone} icon={icon}>
          {word}
        </Badge>
      </div>
      <p className="text-note text-muted">
        {state === 'waiting' && nextAt && tries.length > 0
          ? t('{createdAt}, again {nextAt}', {
              createdAt: formatDateTime(createdAt, timeZone),
              nextAt: formatDateTime(nextAt, timeZone),
            })
          : formatDateTime(createdAt, timeZone)}
      </p>
      {tries.length > 0 && (
        <ol className="list-decimal pl-6 text-note">
          {tries.map((one) => (
            <li key={one.at}>
              {one.outcome}, {formatDateTime(one.at, timeZone)}
              {typeof one.tookMs === 'number' && `, ${one.tookMs} ms`}
            </li>
          ))}
        </ol>
      )}
      <Disclosure summary={t('What was sent')}>
        <p className="text-note select-all">
          <BreakableAddress>{body}</BreakableAddress>
        </p>
      </Disclosure>
      {state !== 'waiting' && webhook.isOn && (
        <div>
          <Button
            variant="secondary"
            disabled={!isOnline}
            pending={retry.isPending}
            onClick={() => retry.mutate(call.id)}
          >
            {t('Call again')}
          </Button>
        </div>
      )}
    </li>
  )
}

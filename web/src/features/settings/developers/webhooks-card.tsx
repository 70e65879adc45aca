import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatDateTime } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { BreakableAddress } from '@/ui/breakable-address'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { CopyField } from '@/ui/copy-field'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { StatusLine } from '@/ui/status-line'
import { settingsMessages } from '../messages'
import { WebhookCallsDialog } from './webhook-calls-dialog'
import { WebhookDialog } from './webhook-dialog'
import {
  developerQueries,
  developerMessages,
  useAddWebhook,
  useUpdateWebhook,
  useRotateWebhookSecret,
  useRemoveWebhook,
  useTestWebhook,
  type Webhook,
} from './queries'
import { ConfirmRemoveDialog } from './confirm-remove-dialog'
import { getEventLabel } from './labels'

export function WebhooksCard() {
  const { orgId, orgTimezone } = useCurrentUser()
  const isOnline = useOnline()
  const hooks = useQuery(developerQueries.hooks(orgId))
  const add = useAddWebhook()
  const [isAdding, setIsAdding] = useState(false)
  return (
    <Card title={t('Webhooks')} icon="external">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <p className="text-note text-muted">
          {t(
            'We call these addresses when something happens, with ids only: a program asks for the rest with its key.',
          )}{' '}
          <a className="link" href="/docs/api#webhooks" target="_blank" rel="noreferrer">
            {t('How to check that a call is ours')}
          </a>
        </p>
        {add.data && (
          <WebhookSecret title={t('Copy the signing secret of the new webhook now')} secret={add.data.secret} />
        )}
        <QueryBoundary query={hooks} errorText={developerMessages.hooksFailed} timeZone={orgTimezone}>
          {(found) =>
            found.length === 0 ? (
              <p className="text-muted">{t('No events are sent.')}</p>
            ) : (
              <ul aria-label={t('Webhooks')} className="grid gap-5">
                {found.map((webhook) => (
                  <WebhookRow key={webhook.id} webhook={webhook} timeZone={orgTimezone} />
                ))}
              </ul>
            )
          }
        </QueryBoundary>
        <div>
          <Button variant="secondary" icon="plus" disabled={!isOnline} onClick={() => setIsAdding(true)}>
            {t('Add a webhook')}
          </Button>
        </div>
      </div>
      {isAdding && (
        <WebhookDialog title={t('Add a webhook')} verb={t('Add it')} command={add} onClose={() => setIsAdding(false)} />
      )}
    </Card>
  )
}

/** Kept by the screen alone: once it is left the secret is nowhere to be read. */
function WebhookSecret({ title, secret }: { title: string; secret: string }) {
  return (
    <Notice tone="info" title={title}>
      <p className="mb-2">{t('It is shown this once. With it the program checks that a call is ours.')}</p>
      <CopyField
        label={t('the signing secret')}
        value={secret}
        copied={developerMessages.copied}
        failed={settingsMessages.copyFailed}
      />
    </Notice>
  )
}

function WebhookRow({ webhook, timeZone }: { webhook: Webhook; timeZone: string }) {
  const { url, about, events } = webhook
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-2 border-t border-base-300 pt-5 first:border-0 first:pt-0">
      <h3 className="font-semibold">{about ?? new URL(url).host}</h3>
      <p className="text-note text-muted">
        <BreakableAddress>{url}</BreakableAddress>
      </p>
      <p className="text-note">{events.map(getEventLabel).join(', ')}</p>
      <WebhookState webhook={webhook} timeZone={timeZone} />
      <WebhookActions webhook={webhook} timeZone={timeZone} />
    </li>
  )
}

function WebhookState({
  webhook: { isOn, failingSince, stoppedAt, stoppedWhy, oldSecretUntil },
  timeZone,
}: {
  webhook: Webhook
  timeZone: string
}) {
  return (
    <>
      {stoppedAt && (
        <Notice tone="warning" title={t('Turned off {date}', { date: formatDateTime(stoppedAt, timeZone) })}>
          {t('{reason}. Turn it on again once it works.', { reason: stoppedWhy ?? '' })}
        </Notice>
      )}
      {!stoppedAt && !isOn && (
        <StatusLine tone="neutral" icon="clock">
          {t('off')}
        </StatusLine>
      )}
      {isOn && failingSince && (
        <StatusLine tone="warning" icon="alert">
          {t('nothing taken since {date}', { date: formatDateTime(failingSince, timeZone) })}
        </StatusLine>
      )}
      {isOn && !failingSince && (
        <StatusLine tone="success" icon="check-circle">
          {t('on')}
        </StatusLine>
      )}
      {oldSecretUntil && (
        <StatusLine tone="neutral" icon="clock">
          {t('the secret before this one signs too until {until}', { until: formatDateTime(oldSecretUntil, timeZone) })}
        </StatusLine>
      )}
    </>
  )
}

type OpenDialog = 'edit' | 'log' | 'secret' | 'remove'

function WebhookActions({ webhook, timeZone }: { webhook: Webhook; timeZone: string }) {
  const isOnline = useOnline()
  const [openDialog, setAsked] = useState<OpenDialog>()
  const change = useUpdateWebhook(webhook.id)
  const test = useTestWebhook(webhook.id)
  const secret = useRotateWebhookSecret(webhook.id)
  const remove = useRemoveWebhook(webhook.id)
  const close = () => setAsked(undefined)
  const name = webhook.about ?? new URL(webhook.url).host
  return (
    <>
      {secret.data && (
        <WebhookSecret title={t('Copy the signing secret of {name} now', { name })} secret={secret.data.secret} />
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          variant="secondary"
          disabled={!isOnline}
          pending={test.isPending}
          aria-label={t('Send a test to {name}', { name })}
          onClick={() => test.mutate(undefined, { onSuccess: () => setAsked('log') })}
        >
          {t('Send a test')}
        </Button>
        <Button variant="ghost" aria-label={t('Log of {name}', { name })} onClick={() => setAsked('log')}>
          {t('Log')}
        </Button>
        <Button variant="ghost" aria-label={t('Edit {name}', { name })} onClick={() => setAsked('edit')}>
          {t('Edit')}
        </Button>
        <Button
          variant="ghost"
          disabled={!isOnline}
          pending={change.isPending}
          aria-label={webhook.isOn ? t('Turn {name} off', { name }) : t('Turn {name} on', { name })}
          onClick={() => change.mutate({ isOn: !webhook.isOn })}
        >
          {webhook.isOn ? t('Turn off') : t('Turn on')}
        </Button>
        <Button variant="ghost" aria-label={t('New secret for {name}', { name })} onClick={() => setAsked('secret')}>
          {t('New secret')}
        </Button>
        <Button
          variant="ghost"
          icon="trash"
          aria-label={t('Remove {name}', { name })}
          onClick={() => setAsked('remove')}
        >
          {t('Remove')}
        </Button>
      </div>
      {openDialog === 'edit' && (
        <WebhookDialog
          title={t('Edit webhook')}
          verb={t('Save it')}
          webhook={webhook}
          command={change}
          onClose={close}
        />
      )}
      {openDialog === 'log' && <WebhookCallsDialog webhook={webhook} name={name} timeZone={timeZone} onClose={close} />}
      <ConfirmRemoveDialog
        open={openDialog === 'secret'}
        title={t('Make a new secret for {name}?', { name })}
        verb={t('Make a new secret')}
        isPending={secret.isPending}
        onClose={close}
        onSure={() => secret.mutate(undefined, { onSuccess: close })}
      >
        {t('For a day both sign, so that the program can be given the new one. After that the old one proves nothing.')}
      </ConfirmRemoveDialog>
      <ConfirmRemoveDialog
        open={openDialog === 'remove'}
        title={t('Remove {name}?', { name })}
        verb={t('Remove it')}
        isPending={remove.isPending}
        onClose={close}
        onSure={() => remove.mutate(undefined, { onSuccess: close })}
      >
        {t('It gets no more events, and its log is gone.')}
      </ConfirmRemoveDialog>
    </>
  )
}

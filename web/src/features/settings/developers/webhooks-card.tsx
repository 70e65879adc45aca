import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatDateTime } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
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
    <Card title="Webhooks" icon="external">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <p className="text-note text-muted">
          We call these addresses when something happens, with ids only: a program asks for the rest with its key.{' '}
          <a className="link" href="/docs/api#webhooks" target="_blank" rel="noreferrer">
            How to check that a call is ours
          </a>
        </p>
        {add.data && <WebhookSecret about="the new webhook" secret={add.data.secret} />}
        <QueryBoundary query={hooks} errorText={developerMessages.hooksFailed} timeZone={orgTimezone}>
          {(found) =>
            found.length === 0 ? (
              <p className="text-muted">No events are sent.</p>
            ) : (
              <ul aria-label="Webhooks" className="grid gap-5">
                {found.map((webhook) => (
                  <WebhookRow key={webhook.id} webhook={webhook} timeZone={orgTimezone} />
                ))}
              </ul>
            )
          }
        </QueryBoundary>
        <div>
          <Button variant="secondary" icon="plus" disabled={!isOnline} onClick={() => setIsAdding(true)}>
            Add a webhook
          </Button>
        </div>
      </div>
      {isAdding && (
        <WebhookDialog title="Add a webhook" verb="Add it" command={add} onClose={() => setIsAdding(false)} />
      )}
    </Card>
  )
}

/** Kept by the screen alone: once it is left the secret is nowhere to be read. */
function WebhookSecret({ about, secret }: { about: string; secret: string }) {
  return (
    <Notice tone="info" title={`Copy the signing secret of ${about} now`}>
      <p className="mb-2">It is shown this once. With it the program checks that a call is ours.</p>
      <CopyField
        label="the signing secret"
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
        <Notice tone="warning" title={`Turned off ${formatDateTime(stoppedAt, timeZone)}`}>
          {stoppedWhy ?? ''}. Turn it on again once it works.
        </Notice>
      )}
      {!stoppedAt && !isOn && (
        <StatusLine tone="neutral" icon="clock">
          off
        </StatusLine>
      )}
      {isOn && failingSince && (
        <StatusLine tone="warning" icon="alert">
          nothing taken since {formatDateTime(failingSince, timeZone)}
        </StatusLine>
      )}
      {isOn && !failingSince && (
        <StatusLine tone="success" icon="check-circle">
          on
        </StatusLine>
      )}
      {oldSecretUntil && (
        <StatusLine tone="neutral" icon="clock">
          the secret before this one signs too until {formatDateTime(oldSecretUntil, timeZone)}
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
      {secret.data && <WebhookSecret about={name} secret={secret.data.secret} />}
      <div className="flex flex-wrap gap-2">
        <Button
          variant="secondary"
          disabled={!isOnline}
          pending={test.isPending}
          aria-label={`Send a test to ${name}`}
          onClick={() => test.mutate(undefined, { onSuccess: () => setAsked('log') })}
        >
          Send a test
        </Button>
        <Button variant="ghost" aria-label={`Log of ${name}`} onClick={() => setAsked('log')}>
          Log
        </Button>
        <Button variant="ghost" aria-label={`Edit ${name}`} onClick={() => setAsked('edit')}>
          Edit
        </Button>
        <Button
          variant="ghost"
          disabled={!isOnline}
          pending={change.isPending}
          aria-label={`Turn ${name} ${webhook.isOn ? 'off' : 'on'}`}
          onClick={() => change.mutate({ isOn: !webhook.isOn })}
        >
          {webhook.isOn ? 'Turn off' : 'Turn on'}
        </Button>
        <Button variant="ghost" aria-label={`New secret for ${name}`} onClick={() => setAsked('secret')}>
          New secret
        </Button>
        <Button variant="ghost" icon="trash" aria-label={`Remove ${name}`} onClick={() => setAsked('remove')}>
          Remove
        </Button>
      </div>
      {openDialog === 'edit' && (
        <WebhookDialog title="Edit webhook" verb="Save it" webhook={webhook} command={change} onClose={close} />
      )}
      {openDialog === 'log' && <WebhookCallsDialog webhook={webhook} name={name} timeZone={timeZone} onClose={close} />}
      <ConfirmRemoveDialog
        open={openDialog === 'secret'}
        title={`Make a new secret for ${name}?`}
        verb="Make a new secret"
        isPending={secret.isPending}
        onClose={close}
        onSure={() => secret.mutate(undefined, { onSuccess: close })}
      >
        For a day both sign, so that the program can be given the new one. After that the old one proves nothing.
      </ConfirmRemoveDialog>
      <ConfirmRemoveDialog
        open={openDialog === 'remove'}
        title={`Remove ${name}?`}
        verb="Remove it"
        isPending={remove.isPending}
        onClose={close}
        onSure={() => remove.mutate(undefined, { onSuccess: close })}
      >
        It gets no more events, and its log is gone.
      </ConfirmRemoveDialog>
    </>
  )
}

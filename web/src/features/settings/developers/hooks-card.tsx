// Webhooks: the addresses that are told what happens, whether each works, and what can be done about it.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatDateTime } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/session/use-session'
import { Breakable } from '@/ui/breakable'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { CopyField } from '@/ui/copy-field'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { StateLine } from '@/ui/state-line'
import { settingsMessages } from '../messages'
import { CallsDialog } from './calls-dialog'
import { HookDialog } from './hook-dialog'
import {
  developerQueries,
  developerTexts,
  useAddHook,
  useChangeHook,
  useChangeSecret,
  useRemoveHook,
  useTestHook,
  type Webhook,
} from './queries'
import { SureDialog } from './sure-dialog'
import { eventWords } from './words'

export function HooksCard() {
  const { orgId, orgTimezone } = useCurrentUser()
  const isOnline = useOnline()
  const hooks = useQuery(developerQueries.hooks(orgId))
  const add = useAddHook()
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
        {add.data && <Secret about="the new webhook" secret={add.data.secret} />}
        <QueryBoundary query={hooks} errorText={developerTexts.hooksFailed} timeZone={orgTimezone}>
          {(found) =>
            found.length === 0 ? (
              <p className="text-muted">Nothing is told to anybody.</p>
            ) : (
              <ul aria-label="Webhooks" className="grid gap-5">
                {found.map((hook) => (
                  <HookRow key={hook.id} hook={hook} timeZone={orgTimezone} />
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
      {isAdding && <HookDialog title="Add a webhook" verb="Add it" command={add} onClose={() => setIsAdding(false)} />}
    </Card>
  )
}

/** Kept by the screen alone: once it is left the secret is nowhere to be read. */
function Secret({ about, secret }: { about: string; secret: string }) {
  return (
    <Notice tone="info" title={`Copy the signing secret of ${about} now`}>
      <p className="mb-2">It is shown this once. With it the program checks that a call is ours.</p>
      <CopyField
        label="the signing secret"
        value={secret}
        copied={developerTexts.copied}
        failed={settingsMessages.copyFailed}
      />
    </Notice>
  )
}

function HookRow({ hook, timeZone }: { hook: Webhook; timeZone: string }) {
  const { url, about, events } = hook
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-2 border-t border-base-300 pt-5 first:border-0 first:pt-0">
      <h3 className="font-semibold">{about ?? new URL(url).host}</h3>
      <p className="text-note text-muted">
        <Breakable>{url}</Breakable>
      </p>
      <p className="text-note">{events.map(eventWords).join(', ')}</p>
      <Standing hook={hook} timeZone={timeZone} />
      <Ways hook={hook} timeZone={timeZone} />
    </li>
  )
}

function Standing({
  hook: { isOn, failingSince, stoppedAt, stoppedWhy, oldSecretUntil },
  timeZone,
}: {
  hook: Webhook
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
        <StateLine tone="neutral" icon="clock">
          off
        </StateLine>
      )}
      {isOn && failingSince && (
        <StateLine tone="warning" icon="alert">
          nothing taken since {formatDateTime(failingSince, timeZone)}
        </StateLine>
      )}
      {isOn && !failingSince && (
        <StateLine tone="success" icon="check-circle">
          on
        </StateLine>
      )}
      {oldSecretUntil && (
        <StateLine tone="neutral" icon="clock">
          the secret before this one signs too until {formatDateTime(oldSecretUntil, timeZone)}
        </StateLine>
      )}
    </>
  )
}

type Asked = 'edit' | 'log' | 'secret' | 'remove'

function Ways({ hook, timeZone }: { hook: Webhook; timeZone: string }) {
  const isOnline = useOnline()
  const [asked, setAsked] = useState<Asked>()
  const change = useChangeHook(hook.id)
  const test = useTestHook(hook.id)
  const secret = useChangeSecret(hook.id)
  const remove = useRemoveHook(hook.id)
  const close = () => setAsked(undefined)
  const name = hook.about ?? new URL(hook.url).host
  return (
    <>
      {secret.data && <Secret about={name} secret={secret.data.secret} />}
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
          aria-label={`Turn ${name} ${hook.isOn ? 'off' : 'on'}`}
          onClick={() => change.mutate({ isOn: !hook.isOn })}
        >
          {hook.isOn ? 'Turn off' : 'Turn on'}
        </Button>
        <Button variant="ghost" aria-label={`New secret for ${name}`} onClick={() => setAsked('secret')}>
          New secret
        </Button>
        <Button variant="ghost" icon="trash" aria-label={`Remove ${name}`} onClick={() => setAsked('remove')}>
          Remove
        </Button>
      </div>
      {asked === 'edit' && (
        <HookDialog title="Edit webhook" verb="Save it" hook={hook} command={change} onClose={close} />
      )}
      {asked === 'log' && <CallsDialog hook={hook} name={name} timeZone={timeZone} onClose={close} />}
      <SureDialog
        open={asked === 'secret'}
        title={`Make a new secret for ${name}?`}
        verb="Make a new secret"
        isPending={secret.isPending}
        onClose={close}
        onSure={() => secret.mutate(undefined, { onSuccess: close })}
      >
        For a day both sign, so that the program can be given the new one. After that the old one proves nothing.
      </SureDialog>
      <SureDialog
        open={asked === 'remove'}
        title={`Remove ${name}?`}
        verb="Remove it"
        isPending={remove.isPending}
        onClose={close}
        onSure={() => remove.mutate(undefined, { onSuccess: close })}
      >
        It is told nothing any more, and its log is gone.
      </SureDialog>
    </>
  )
}

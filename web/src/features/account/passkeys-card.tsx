import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { Schema } from '@/api/client'
import { describeError } from '@/api/errors'
import { formatDateTime } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { supportsPasskeys, isCancelled, isAlreadyRegistered } from '@/lib/passkeys'
import { useCurrentUser } from '@/features/session/use-session'
import { Button, IconButton } from '@/ui/button'
import { Card } from '@/ui/card'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { deviceName } from './device-name'
import { accountMessages as texts } from './messages'
import { accountQueries, useAddPasskey } from './queries'

const RenameDialog = lazy(async () => ({ default: (await import('./passkey-dialogs')).RenamePasskeyDialog }))
const RemoveDialog = lazy(async () => ({ default: (await import('./passkey-dialogs')).RemovePasskeyDialog }))

export function PasskeysCard() {
  const { orgId, id, orgTimezone } = useCurrentUser()
  const passkeys = useQuery(accountQueries.passkeys(orgId, id))
  return (
    <Card title={t('Passkeys')} icon="shield">
      <QueryBoundary
        query={passkeys}
        skeleton={<SkeletonLines lines={2} />}
        errorText={texts.passkeys.loadFailed}
        timeZone={orgTimezone}
      >
        {(list) => (
          <div className="grid gap-4">
            <p className="text-muted">
              {t(
                'Sign in with your fingerprint, your face or your screen lock. A passkey takes the place of your password and code.',
              )}
            </p>
            {list.length > 0 && (
              <ul className="grid gap-2">
                {list.map((passkey) => (
                  <PasskeyRow key={passkey.id} passkey={passkey} timeZone={orgTimezone} />
                ))}
              </ul>
            )}
            <AddPasskey />
          </div>
        )}
      </QueryBoundary>
    </Card>
  )
}

function passkeyErrorText(error: unknown): string {
  if (isCancelled(error)) return texts.passkeys.cancelled
  return isAlreadyRegistered(error)
    ? texts.passkeys.there
    : describeError(error, texts.passkeys.add.failure).description
}

function AddPasskey() {
  const add = useAddPasskey()
  const isOnline = useOnline()
  if (!supportsPasskeys())
    return (
      <p className="text-note text-muted">{t('This browser does not support passkeys here. Use your password.')}</p>
    )
  return (
    <div className="grid gap-3">
      <Button
        icon="plus"
        className="w-fit"
        disabled={!isOnline}
        pending={add.isPending}
        pendingText={t('Waiting for your device...')}
        onClick={() => add.mutate(deviceName(navigator.userAgent))}
      >
        {t('Add a passkey')}
      </Button>
      {add.isError && <Notice tone="error" title={passkeyErrorText(add.error)} />}
      {!isOnline && <p className="text-note text-warning">{texts.offline}</p>}
    </div>
  )
}

function PasskeyRow({ passkey, timeZone }: { passkey: Schema['Passkey']; timeZone: string }) {
  const isOnline = useOnline()
  const [openDialog, setOpened] = useState<'rename' | 'remove'>()
  const close = () => setOpened(undefined)
  const { name, createdAt, lastUsedAt } = passkey
  return (
    <li className="flex min-h-12 items-center gap-2 rounded-field border border-primary/30 pl-3">
      <span className="min-w-0 flex-1 py-2">
        <span className="font-semibold wrap-anywhere">{name}</span>
        <span className="block text-note text-muted">
          {lastUsedAt ? t('Last used {date}', { date: formatDateTime(lastUsedAt, timeZone) }) : t('Not used yet')}
        </span>
        <span className="block text-note text-muted">
          {t('Added {date}', { date: formatDateTime(createdAt, timeZone) })}
        </span>
      </span>
      <IconButton
        label={t('Rename {name}', { name })}
        icon="pencil"
        disabled={!isOnline}
        onClick={() => setOpened('rename')}
      />
      <IconButton
        label={t('Remove {name}', { name })}
        icon="trash"
        disabled={!isOnline}
        onClick={() => setOpened('remove')}
      />
      <Suspense fallback={null}>
        {openDialog === 'rename' && <RenameDialog passkey={passkey} onClose={close} />}
        {openDialog === 'remove' && <RemoveDialog passkey={passkey} onClose={close} />}
      </Suspense>
    </li>
  )
}

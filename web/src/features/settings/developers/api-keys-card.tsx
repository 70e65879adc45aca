import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatDateTime } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { CopyField } from '@/ui/copy-field'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { StatusLine } from '@/ui/status-line'
import { settingsMessages } from '../messages'
import { ApiKeyDialog } from './api-key-dialog'
import { type ApiKey, developerQueries, developerMessages, useCreateApiKey, useRevokeApiKey } from './queries'
import { ConfirmRemoveDialog } from './confirm-remove-dialog'
import { describeScopes } from './labels'

export function ApiKeysCard() {
  const { orgId, orgTimezone } = useCurrentUser()
  const isOnline = useOnline()
  const keys = useQuery(developerQueries.keys(orgId))
  const make = useCreateApiKey()
  const [isMaking, setIsMaking] = useState(false)
  return (
    <Card title={t('Keys for other programs')} icon="shield">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <p className="text-note text-muted">
          {t('A program with a key works like an office member, in the areas you choose.')}{' '}
          <a className="link" href="/docs/api" target="_blank" rel="noreferrer">
            {t('How to use the API')}
          </a>
        </p>
        {/* Kept by this screen alone: once it is left the key is nowhere to be read. */}
        {make.data && (
          <Notice tone="info" title={t('Copy the key for {name} now', { name: make.data.name })}>
            <p className="mb-2">
              {t('It is shown only once. Anyone who has it can use it: treat it like a password.')}
            </p>
            <CopyField
              label={make.data.name}
              value={make.data.key}
              copied={developerMessages.copied}
              failed={settingsMessages.copyFailed}
            />
          </Notice>
        )}
        <QueryBoundary query={keys} errorText={developerMessages.keysFailed} timeZone={orgTimezone}>
          {(found) => (
            <KeyList keys={found} timeZone={orgTimezone} onRevoked={(id) => id === make.data?.id && make.reset()} />
          )}
        </QueryBoundary>
        <div>
          <Button variant="secondary" icon="plus" disabled={!isOnline} onClick={() => setIsMaking(true)}>
            {t('Make a key')}
          </Button>
        </div>
      </div>
      {isMaking && <ApiKeyDialog make={make} onClose={() => setIsMaking(false)} />}
    </Card>
  )
}

function KeyList({
  keys,
  timeZone,
  onRevoked,
}: {
  keys: readonly ApiKey[]
  timeZone: string
  onRevoked: (id: string) => void
}) {
  const [keyToRevoke, setAsked] = useState<ApiKey>()
  const revoke = useRevokeApiKey()
  const close = () => setAsked(undefined)
  if (keys.length === 0) return <p className="text-muted">{t('No program has a key.')}</p>
  return (
    <>
      <ul aria-label={t('Keys')} className="grid gap-4">
        {keys.map((key) => (
          <KeyRow key={key.id} apiKey={key} timeZone={timeZone} onRevoke={() => setAsked(key)} />
        ))}
      </ul>
      <ConfirmRemoveDialog
        open={keyToRevoke !== undefined}
        title={t('Take the key of {name} away?', { name: keyToRevoke?.name ?? '' })}
        verb={t('Take it away')}
        isPending={revoke.isPending}
        onClose={close}
        onSure={() =>
          keyToRevoke &&
          revoke.mutate(keyToRevoke.id, {
            onSuccess: () => {
              onRevoked(keyToRevoke.id)
              close()
            },
          })
        }
      >
        {t('The program that uses it is refused from this moment on. What it has done stays.')}
      </ConfirmRemoveDialog>
    </>
  )
}

function KeyRow({ apiKey, timeZone, onRevoke }: { apiKey: ApiKey; timeZone: string; onRevoke: () => void }) {
  const { name, hint, scopes, createdAt, madeBy, lastUsedAt } = apiKey
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-3 gap-y-1 border-t border-base-300 pt-4 first:border-0 first:pt-0">
      <h3 className="font-semibold">
        {name} <span className="font-normal text-muted">{hint}</span>
      </h3>
      <Button
        variant="ghost"
        icon="trash"
        aria-label={t('Take the key of {name} away', { name })}
        onClick={onRevoke}
        className="row-span-3"
      >
        {t('Take away')}
      </Button>
      <p className="text-note">{describeScopes(scopes)}</p>
      <p className="text-note text-muted">
        {t('made by {name}, {date}', { name: madeBy, date: formatDateTime(createdAt, timeZone) })}
      </p>
      {lastUsedAt ? (
        <StatusLine tone="success" icon="check-circle">
          {t('last used {date}', { date: formatDateTime(lastUsedAt, timeZone) })}
        </StatusLine>
      ) : (
        <StatusLine tone="neutral" icon="clock">
          {t('not used yet')}
        </StatusLine>
      )}
    </li>
  )
}

// Client Management: accounts and their state.
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ROLE_LABELS } from '@/domain/org'
import { formatDate, formatDateTime } from '@/lib/format/date'
import { formatCount } from '@/lib/format/number'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useCurrentUser } from '@/features/session/use-session'
import { plural, t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { BreakableAddress } from '@/ui/breakable-address'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { EmptyState } from '@/ui/empty-state'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { SearchBox } from '@/ui/search-box'
import { SkeletonLines } from '@/ui/skeleton'
import { adminMessages } from '../messages'
import { useAllowUnpaid } from '../mutations'
import { adminQueries, type Client } from '../queries'
import { ResetDialog } from './reset-dialog'

const texts = adminMessages.clients

export function ClientsCard() {
  const { orgId, orgTimezone, isPlatformAdmin } = useCurrentUser()
  const [text, setText] = useState('')
  const q = useDebounced(text.trim(), 250)
  const list = useInfiniteQuery(adminQueries.clients(orgId, q))
  const total = list.data?.pages[0]?.total
  const [selectedClient, setAsked] = useState<Client>()
  return (
    <Card title={texts.title} icon="user">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <Notice tone="info" icon="shield" title={t('Passwords are hashed')}>
          {texts.hashed}
        </Notice>
        <SearchBox
          label={t('Search clients by name, email or business')}
          placeholder={t('Name, email or business')}
          value={text}
          onChange={setText}
        />
        <QueryBoundary
          query={{ ...list, data: list.data?.pages.flatMap(({ clients }) => clients) }}
          skeleton={<SkeletonLines lines={6} />}
          errorText={texts.failed}
          timeZone={orgTimezone}
          isEmpty={(clients) => clients.length === 0}
          empty={<EmptyState icon="user" title={q === '' ? texts.none : texts.noMatch} />}
        >
          {(clients) => (
            <div className="grid gap-3">
              {total !== undefined && (
                <p role="status" className="font-semibold tabular-nums">
                  {plural(total, '{count} client', '{count} clients', { count: formatCount(total) })}
                </p>
              )}
              <ul aria-label={t('Clients, the newest first')} className="divide-y divide-primary/22">
                {clients.map((client) => (
                  <ClientRow
                    key={client.id}
                    client={client}
                    timeZone={orgTimezone}
                    hasBusiness={isPlatformAdmin}
                    onReset={() => setAsked(client)}
                  />
                ))}
              </ul>
              {list.hasNextPage && (
                <Button
                  variant="secondary"
                  className="justify-self-center"
                  pending={list.isFetchingNextPage}
                  pendingText={t('Loading...')}
                  onClick={() => void list.fetchNextPage()}
                >
                  {t('Show more')}
                </Button>
              )}
            </div>
          )}
        </QueryBoundary>
      </div>
      {selectedClient && <ResetDialog client={selectedClient} onClose={() => setAsked(undefined)} />}
    </Card>
  )
}

const describePresence = (registered: string, seen: string | null | undefined) =>
  seen
    ? t('Registered {registered}, last seen {seen}', { registered, seen })
    : t('Registered {registered}', { registered })

type ClientRowProps = {
  client: Client
  timeZone: string
  /** An operator sees people of several businesses. */ hasBusiness: boolean
  onReset: () => void
}

function ClientRow({
  client: {
    id,
    email,
    name,
    role,
    orgName,
    createdAt,
    isActive,
    twoFactorEnabled,
    lastSeenAt,
    orgId,
    trustLevel,
    isLetThrough,
  },
  timeZone,
  hasBusiness,
  onReset,
}: ClientRowProps) {
  const whyNot = `why-not-${id}`
  const about = [name, ROLE_LABELS[role], ...(hasBusiness ? [orgName] : [])].join(', ')
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2 py-3 first:pt-0 last:pb-0">
      <div className="min-w-0">
        <h3 className="font-semibold">
          <BreakableAddress>{email}</BreakableAddress>
        </h3>
        <p className="text-note text-muted wrap-anywhere">{about}</p>
        <p className="text-caption text-muted">
          {describePresence(formatDate(createdAt, timeZone), lastSeenAt && formatDateTime(lastSeenAt, timeZone))}
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {hasBusiness && role === 'owner' && (
          <TrustLevelBadge orgId={orgId} orgName={orgName} level={trustLevel} isLetThrough={isLetThrough} />
        )}
        {twoFactorEnabled && (
          <Badge tone="info" icon="shield">
            2FA
          </Badge>
        )}
        {isActive ? (
          <Badge tone="success" icon="check-circle">
            {t('Active')}
          </Badge>
        ) : (
          <Badge tone="neutral" icon="close">
            {t('Inactive')}
          </Badge>
        )}
        <Button
          variant="secondary"
          aria-label={`${texts.reset}: ${email}`}
          disabled={!isActive}
          aria-describedby={isActive ? undefined : whyNot}
          onClick={onReset}
        >
          {texts.reset}
        </Button>
      </div>
      {!isActive && (
        <p id={whyNot} className="basis-full text-caption text-muted">
          {texts.notActive}
        </p>
      )}
    </li>
  )
}

const LEVELS = {
  new: { tone: 'warning', icon: 'clock', label: t('Address not confirmed') },
  address_proven: { tone: 'neutral', icon: 'clock', label: t('Address confirmed') },
  sender_verified: { tone: 'neutral', icon: 'check-circle', label: t('Number verified') },
  trusted: { tone: 'success', icon: 'check-circle', label: t('Can send') },
} as const

type TrustOfProps = { orgId: string; orgName: string; level: Client['trustLevel']; isLetThrough: boolean }

/** What the business may send, and the operator's word about it. */
function TrustLevelBadge({ orgId, orgName, level, isLetThrough }: TrustOfProps) {
  const change = useAllowUnpaid()
  const { tone, icon, label } = LEVELS[level]
  const press = isLetThrough ? texts.allowUnpaidUndo : texts.allowUnpaid
  const does = isLetThrough ? t('Undo allowed without payment: {orgName}', { orgName }) : `${press}: ${orgName}`
  return (
    <>
      <Badge tone={tone} icon={icon}>
        {isLetThrough ? t('Allowed without payment') : label}
      </Badge>
      <Button
        variant="ghost"
        aria-label={does}
        pending={change.isPending}
        onClick={() => change.mutate({ id: orgId, isLet: !isLetThrough })}
      >
        {press}
      </Button>
    </>
  )
}

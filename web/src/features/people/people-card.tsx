import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { ROLE_LABELS } from '@/domain/org'
import { formatDate } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { useIsBefore } from '@/lib/hooks/use-is-before'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { BreakableAddress } from '@/ui/breakable-address'
import { Button, IconButton } from '@/ui/button'
import { Card } from '@/ui/card'
import { CopyButton } from '@/ui/copy-field'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { peopleMessages as texts } from './messages'
import { type Invite, type TeamMember, useRevokeInvite, useRevealInviteLinks } from './mutations'
import { peopleQueries } from './queries'

const InviteDialog = lazy(async () => ({ default: (await import('./invite-dialog')).InviteDialog }))
const PersonDialog = lazy(async () => ({ default: (await import('./person-dialog')).PersonDialog }))

const ROW = 'flex min-h-12 items-center gap-2 rounded-field border border-primary/30 pl-3'

/** What is open over the page. */
type OpenDialog = 'invite' | TeamMember

export function PeopleCard() {
  const { orgId, orgTimezone, role, id } = useCurrentUser()
  const people = useQuery(peopleQueries.team(orgId))
  const isOnline = useOnline()
  const [openDialog, setOpened] = useState<OpenDialog>()
  const isOwner = role === 'owner'
  const close = () => setOpened(undefined)
  return (
    <Card title={t('People')} icon="user">
      <QueryBoundary
        query={people}
        skeleton={<SkeletonLines lines={3} />}
        errorText={texts.listFailed}
        timeZone={orgTimezone}
      >
        {(list) => (
          <div className="grid gap-3">
            <ul className="grid gap-2">
              {list.map((person) => (
                <PersonRow
                  key={person.id}
                  person={person}
                  isSelf={person.id === id}
                  isOnline={isOnline}
                  onOpen={isOwner ? () => setOpened(person) : undefined}
                />
              ))}
            </ul>
            {isOwner && <Invites />}
            {isOwner && (
              <Button variant="secondary" icon="plus" disabled={!isOnline} onClick={() => setOpened('invite')}>
                {t('Invite someone')}
              </Button>
            )}
            {isOwner && !isOnline && <p className="text-note text-warning">{texts.offline}</p>}
          </div>
        )}
      </QueryBoundary>
      <Suspense fallback={null}>
        {openDialog === 'invite' && <InviteDialog onClose={close} />}
        {openDialog !== undefined && openDialog !== 'invite' && <PersonDialog person={openDialog} onClose={close} />}
      </Suspense>
    </Card>
  )
}

type PersonRowProps = {
  person: TeamMember
  isSelf: boolean
  isOnline: boolean
  /** Only the owner changes people. */ onOpen: (() => void) | undefined
}

function PersonRow({
  person: { name, role, email, phoneShown, isActive, crewIds },
  isSelf,
  isOnline,
  onOpen,
}: PersonRowProps) {
  const { orgId } = useCurrentUser()
  const { data: crews = [] } = useQuery(peopleQueries.crews(orgId))
  const own = crews.filter((crew) => crewIds.includes(crew.id)).map((crew) => crew.name)
  return (
    <li className={ROW}>
      <span className="flex min-w-0 flex-1 flex-wrap items-center justify-between gap-x-3 gap-y-1 py-2">
        <span className="min-w-0">
          <span className="block font-semibold wrap-anywhere">
            {name}
            {isSelf && <span className="font-normal text-muted"> {t('(you)')}</span>}
          </span>
          <span className="block text-note text-muted">
            <BreakableAddress>{[ROLE_LABELS[role], ...own].join(', ')}</BreakableAddress>
          </span>
          <span className="block text-note text-muted">
            <BreakableAddress>{[email, phoneShown].filter(Boolean).join(', ')}</BreakableAddress>
          </span>
        </span>
        {!isActive && (
          <Badge tone="neutral" icon="close">
            {t('Deactivated')}
          </Badge>
        )}
      </span>
      {onOpen && !isSelf && (
        <IconButton label={t('Edit {name}', { name })} icon="pencil" disabled={!isOnline} onClick={onOpen} />
      )}
    </li>
  )
}

function Invites() {
  const { orgId, orgTimezone } = useCurrentUser()
  const invites = useQuery(peopleQueries.invites(orgId))
  return (
    <QueryBoundary
      query={invites}
      skeleton={<SkeletonLines lines={1} />}
      errorText={texts.invitesFailed}
      timeZone={orgTimezone}
    >
      {(list) =>
        list.length === 0 ? null : (
          <section aria-label={t('Invited')} className="grid gap-2">
            <h3 className="font-semibold">{t('Invited')}</h3>
            <ul className="grid gap-2">
              {list.map((invite) => (
                <InviteRow key={invite.id} invite={invite} timeZone={orgTimezone} />
              ))}
            </ul>
          </section>
        )
      }
    </QueryBoundary>
  )
}

function InviteRow({
  invite: { id, name, role, email, phoneShown, expiresAt, link },
  timeZone,
}: {
  invite: Invite
  timeZone: string
}) {
  const revoke = useRevokeInvite()
  const isOnline = useOnline()
  const isGood = useIsBefore(Date.parse(expiresAt))
  const show = useRevealInviteLinks()
  return (
    <li className={ROW}>
      <span className="min-w-0 flex-1 py-2">
        <span className="block font-semibold wrap-anywhere">{name}</span>
        <span className="block text-note text-muted">
          <BreakableAddress>{[ROLE_LABELS[role], email ?? phoneShown].filter(Boolean).join(', ')}</BreakableAddress>
        </span>
        <span className="block text-note text-muted">
          {isGood
            ? t('Valid until {day}', { day: formatDate(expiresAt, timeZone) })
            : t('Expired {day}', { day: formatDate(expiresAt, timeZone) })}
        </span>
        {isGood &&
          (link ? (
            <CopyButton
              label={t('Copy link of the invitation of {name}', { name })}
              value={link}
              copied={texts.copied}
              failed={texts.notCopied}
              className="mt-1"
            >
              {t('Copy link')}
            </CopyButton>
          ) : (
            <Button
              variant="ghost"
              icon="shield"
              aria-label={t('Show link of the invitation of {name}', { name })}
              disabled={!isOnline}
              onClick={() => void show()}
            >
              {t('Show link')}
            </Button>
          ))}
      </span>
      <IconButton
        label={t('Revoke the invitation of {name}', { name })}
        icon="trash"
        disabled={!isOnline || revoke.isPending}
        onClick={() => revoke.mutate(id)}
      />
    </li>
  )
}

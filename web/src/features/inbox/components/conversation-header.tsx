import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router-dom'
import { telHref } from '@/lib/format/phone'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button, IconButton } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { formatDayTime } from '@/lib/format/zone-time'
import { useNow } from '@/lib/hooks/use-now'
import { useOnline } from '@/lib/hooks/use-online'
import { useChangeThread } from '../mutations'
import type { ConversationPage } from '../types'

/** Needs a connection. */
const ConversationSheet = lazy(async () => ({ default: (await import('./conversation-sheet')).ConversationSheet }))

const MINUTE_MS = 60_000

type ConversationHeaderProps = {
  conversation: ConversationPage
  /** Path of the list; none when the conversation is part of another page. */ backTo: string | null
  timeZone: string
}

export function ConversationHeader({ conversation, backTo, timeZone }: ConversationHeaderProps) {
  const { customer, thread, erasure } = conversation
  const isErased = Boolean(erasure?.erasedAt)
  const [isOpen, setIsOpen] = useState(false)
  // It opens a dialog of its own after it is closed.
  const [wasOpened, setWasOpened] = useState(false)
  const isOnline = useOnline()
  const change = useChangeThread(customer.id)
  const { id } = useCurrentUser()
  // A lead's page names the person and has the call's button itself.
  const isOnLead = backTo === null
  return (
    <header className="flex items-center gap-1 border-b border-primary/22 py-1 pr-1 pl-2 sm:pl-3">
      {backTo !== null && (
        <Link
          to={backTo}
          aria-label={t('Back to the inbox')}
          className="btn btn-ghost -ml-1 size-11 shrink-0 rounded-field p-0 lg:hidden"
        >
          <Icon name="arrow-left" className="size-6" />
        </Link>
      )}
      <div className="min-w-0 flex-1 py-1">
        <h2 className="truncate text-crew">
          {isOnLead ? t('Conversation') : customer.name || customer.phoneShown || customer.email}
        </h2>
        <p className="truncate text-caption text-muted">
          <ConversationStatus conversation={conversation} timeZone={timeZone} />
        </p>
      </div>
      {thread && !thread.assignedTo && !isErased && (
        <Button
          variant="secondary"
          className="hidden! min-h-11! px-3! text-note! sm:inline-flex!"
          pending={change.isPending && change.variables.assignedTo === id}
          onClick={() => change.mutate({ assignedTo: id })}
        >
          {t('Take it')}
        </Button>
      )}
      {customer.phone && !isOnLead && (
        <a
          href={telHref(customer.phone)}
          aria-label={t('Call {name}', { name: customer.name })}
          title={t('Call')}
          className="btn btn-ghost size-11 shrink-0 rounded-field p-0 text-primary"
        >
          <Icon name="phone" className="size-6" />
        </a>
      )}
      {thread && !isErased && (
        <IconButton
          label={thread.isClosed ? t('Open again') : t('Close the conversation')}
          icon={thread.isClosed ? 'inbox' : 'check-circle'}
          className="size-11! shrink-0"
          disabled={change.isPending}
          onClick={() => change.mutate({ isClosed: !thread.isClosed })}
        />
      )}
      <IconButton
        label={t('More about this conversation')}
        icon="menu"
        aria-haspopup="dialog"
        className="size-11! shrink-0"
        disabled={!isOnline}
        onClick={() => {
          setWasOpened(true)
          setIsOpen(true)
        }}
      />
      {wasOpened && (
        <Suspense fallback={null}>
          <ConversationSheet
            open={isOpen}
            onClose={() => setIsOpen(false)}
            conversation={conversation}
            timeZone={timeZone}
          />
        </Suspense>
      )}
    </header>
  )
}

function ConversationStatus({
  conversation: { customer, thread },
  timeZone,
}: {
  conversation: ConversationPage
  timeZone: string
}) {
  const now = useNow(MINUTE_MS)
  const { id } = useCurrentUser()
  const parts = [
    thread?.isClosed && t('Closed'),
    customer.isBlocked && t('Blocked'),
    thread?.snoozedUntil &&
      Date.parse(thread.snoozedUntil) > now &&
      t('Snoozed until {time}', { time: formatDayTime(thread.snoozedUntil, timeZone, now) }),
    thread?.assignedTo && (thread.assignedTo.id === id ? t('Yours') : thread.assignedTo.name),
    customer.name === customer.phoneShown ? customer.email : (customer.phoneShown ?? customer.email),
  ]
  return parts.filter(Boolean).join(' · ')
}

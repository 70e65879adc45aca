import { classNames } from '@/lib/class-names'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { findOwnPhoneTime } from '../lib/find-manual-text'
import type { MessageOutbox, OutgoingMessage } from '../lib/message-outbox'
import { groupItemsByDay, getItemKey } from '../lib/timeline'
import type { ConversationState } from '../lib/use-conversation'
import { useNow } from '@/lib/hooks/use-now'
import { formatDayName } from '@/lib/format/zone-time'
import { inboxMessages } from '../messages'
import type { ConversationItem, ConversationPage } from '../types'
import { CallRow, FormSubmissionRow } from './call-row'
import { MessageBubble } from './message-bubble'
import { OutgoingBubble } from './outgoing-bubble'

const CLOCK_INTERVAL_MS = 30_000

type TimelineProps = {
  state: ConversationState
  conversation: ConversationPage
  outbox: MessageOutbox
  onTakeBack: (entry: OutgoingMessage) => void
  className?: string
  timeZone: string
}

/**
 * The column is turned round, so that the browser itself holds it at its end and keeps its place when earlier items
 * come in.
 */
export function Timeline({ state, conversation, outbox, onTakeBack, className, timeZone }: TimelineProps) {
  const { items, customer } = conversation
  const isEmpty = items.length === 0 && outbox.entries.length === 0
  return (
    <div
      role="log"
      aria-label={t('Conversation with {name}', { name: customer.name })}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable with the keys
      tabIndex={0}
      className={classNames('relative flex flex-col-reverse overflow-y-auto px-3 py-3 sm:px-4', className)}
    >
      <div className="grid gap-3">
        {state.hasEarlier && (
          <Button
            variant="ghost"
            className="justify-self-center"
            pending={state.isLoadingEarlier}
            pendingText={t('Loading...')}
            onClick={state.loadEarlier}
          >
            {t('Show earlier')}
          </Button>
        )}
        {isEmpty && <p className="py-8 text-center text-muted">{inboxMessages.noItems}</p>}
        <TimelineDays items={items} conversation={conversation} outbox={outbox} timeZone={timeZone} />
        {outbox.entries.length > 0 && (
          <ul className="grid gap-3">
            {outbox.entries.map((entry) => (
              <OutgoingBubble
                key={entry.key}
                entry={entry}
                onAgain={() => void outbox.again(entry)}
                onConfirm={() => void outbox.confirm(entry)}
                onTakeBack={() => onTakeBack(entry)}
              />
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}

type DaysProps = {
  items: readonly ConversationItem[]
  conversation: ConversationPage
  outbox: MessageOutbox
  timeZone: string
}

function TimelineDays({ items, conversation, outbox, timeZone }: DaysProps) {
  const now = useNow(CLOCK_INTERVAL_MS)
  return groupItemsByDay(items, timeZone).map(({ day, at, items: ofDay }) => (
    <section key={day} aria-label={formatDayName(timeZone, at, now)} className="grid gap-2">
      <p className="flex items-center gap-3 text-caption font-semibold text-muted before:h-px before:flex-1 before:bg-primary/22 after:h-px after:flex-1 after:bg-primary/22">
        {formatDayName(timeZone, at, now)}
      </p>
      <ul className="grid gap-2">
        {ofDay.map((item) => (
          <TimelineItem
            key={getItemKey(item)}
            item={item}
            conversation={conversation}
            outbox={outbox}
            timeZone={timeZone}
            now={now}
          />
        ))}
      </ul>
    </section>
  ))
}

type ItemProps = {
  item: ConversationItem
  conversation: ConversationPage
  outbox: MessageOutbox
  timeZone: string
  now: number
}

function TimelineItem({ item, conversation: { customer, items }, outbox, timeZone, now }: ItemProps) {
  if (item.type === 'call') return <CallRow call={item.call} at={item.at} timeZone={timeZone} />
  if (item.type === 'touch') return <FormSubmissionRow touch={item} timeZone={timeZone} />
  // A failed text may still be sent from the member's own phone, unless the number cannot be texted or has opted out.
  const mayTextByHand = !customer.smsOptOut && !customer.noSmsSince && customer.phone ? `sms:${customer.phone}` : null
  return (
    <MessageBubble
      item={item}
      customerId={customer.id}
      isStopped={Boolean(customer.smsOptOut)}
      smsLink={mayTextByHand}
      textedAt={findOwnPhoneTime(item, items)}
      onFile={(item.message.channel === 'sms' ? customer.phone : customer.email) ?? null}
      timeZone={timeZone}
      now={now}
      onByHand={(body) =>
        void outbox.send({
          channel: 'sms',
          body,
          byHand: true,
          ...(item.message.leadId ? { leadId: item.message.leadId } : {}),
        })
      }
    />
  )
}

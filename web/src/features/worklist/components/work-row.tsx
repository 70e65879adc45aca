// One person who waits: who, why, since when, and one button.
import { memo } from 'react'
import { Link } from 'react-router-dom'
import { serviceLabel } from '@/domain/lead'
import { classNames } from '@/lib/class-names'
import { formatMoney } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import { useEntriesOfKind } from '@/offline/outbox/use-outbox'
import { useCurrentUser } from '@/features/session/use-session'
import { IconButton } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { worklistMessages as texts } from '../messages'
import { describeReason, getName } from '../lib/describe-item'
import { getItemAction, getItemPath } from '../lib/item-action'
import { useSwipe } from '../lib/use-swipe'
import { useWorkClock } from '../lib/work-clock'
import type { WorkItem, WorkView } from '../types'
import { WorkBadges } from './work-badges'

/** What a row asks for. The same object for the life of the list. */
export type RowActions = {
  done: (item: WorkItem) => void
  snooze: (item: WorkItem) => void
  assign: (item: WorkItem) => void
  undo: (item: WorkItem) => void
}

type WorkRowProps = { item: WorkItem; view: WorkView; actions: RowActions }

const CENTS = 100

export const WorkRow = memo(function WorkRow({ item, view, actions }: WorkRowProps) {
  const name = getName(item)
  const { offset, handlers } = useSwipe({
    onRight: () => actions.done(item),
    onLeft: () => actions.snooze(item),
    isOff: view !== 'next',
  })
  return (
    <li
      className="relative touch-pan-y overflow-hidden [contain-intrinsic-size:auto_8rem] [content-visibility:auto]"
      {...handlers}
    >
      {offset !== 0 && <SwipeHint isDone={offset > 0} />}
      <div
        className="relative grid grid-cols-[minmax(0,1fr)] gap-1 bg-base-100 py-2 pr-2 pl-3"
        style={offset === 0 ? undefined : { transform: `translateX(${offset}px)` }}
      >
        <div className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <p className="flex items-baseline justify-between gap-2">
              <Link to={getItemPath(item)} className="-my-2.5 min-w-0 truncate py-2.5 font-semibold hover:underline">
                {name}
              </Link>
              {typeof item.amountCents === 'number' && (
                <span className="shrink-0 font-semibold tabular-nums">{formatMoney(item.amountCents / CENTS)}</span>
              )}
            </p>
            <Reason item={item} />
            <Answered item={item} />
            <NoTexts item={item} />
            {item.excerpt && <p className="line-clamp-2 text-note wrap-anywhere">“{item.excerpt}”</p>}
          </div>
          <ActionLink item={item} name={name} />
        </div>
        <div className="flex items-center gap-1">
          <WorkBadges item={item} view={view} />
          <MarkButtons item={item} view={view} name={name} actions={actions} />
        </div>
      </div>
    </li>
  )
})

function Reason({ item }: { item: WorkItem }) {
  const { orgTimezone } = useCurrentUser()
  const now = useWorkClock()
  return (
    <p className="text-note text-muted wrap-anywhere">
      {describeReason(item, now, orgTimezone)}
      {item.service && ` · ${serviceLabel(item.service)}`}
    </p>
  )
}

/** What has been said to them: an answer that waits on this device, else the automatic one. */
function Answered({ item: { kind, customerId, autoReply } }: { item: WorkItem }) {
  const queued = useEntriesOfKind('message', customerId ?? '')
  if (kind !== 'answer' && kind !== 'call_back') return null
  const words = queued.some(({ refusal, command }) => refusal === null && !command.message.byHand)
    ? texts.onThisDevice
    : autoReply && texts.autoReplies[autoReply]
  return words ? <p className="text-caption text-muted">{words}</p> : null
}

/** Why no text can answer them. */
function NoTexts({ item: { kind, noText } }: { item: WorkItem }) {
  if (!noText || (kind !== 'answer' && kind !== 'call_back')) return null
  return <p className="text-caption text-muted">{texts.noTexts(noText)}</p>
}

const ACTION = 'btn h-auto min-h-11 max-w-[9rem] shrink-0 gap-1.5 rounded-field px-3 py-1.5 text-note font-semibold'

/** The list's keys move between these, so that Enter runs the action. */
function ActionLink({ item, name }: { item: WorkItem; name: string }) {
  const action = getItemAction(item)
  const { label, icon } = action
  const isFirst = item.kind === 'emergency' || item.isLate
  const props = {
    'data-work': item.key,
    'aria-label': `${label}: ${name}`,
    className: classNames(ACTION, isFirst ? 'btn-primary' : 'border-primary/55 bg-transparent text-primary'),
  }
  const content = (
    <>
      <Icon name={icon} />
      {label}
    </>
  )
  return 'href' in action ? (
    <a href={action.href} {...props}>
      {content}
    </a>
  ) : (
    <Link to={action.to} {...props}>
      {content}
    </Link>
  )
}

type MarkButtonsProps = WorkRowProps & { name: string }

function MarkButtons({ item, view, name, actions }: MarkButtonsProps) {
  const [size, undo] = ['size-11! shrink-0 text-muted', t('Bring back: {name}', { name })]
  if (view !== 'next')
    return (
      <IconButton
        label={undo}
        data-tooltip={t('Bring back')}
        icon="undo"
        className={size}
        onClick={() => actions.undo(item)}
      />
    )
  return (
    <>
      <IconButton
        label={t('Mark as done: {name}', { name })}
        data-tooltip={t('Done (E)')}
        icon="check"
        className={size}
        onClick={() => actions.done(item)}
      />
      <IconButton
        label={t('Snooze: {name}', { name })}
        data-tooltip={t('Snooze (S)')}
        icon="moon"
        className={size}
        aria-haspopup="dialog"
        onClick={() => actions.snooze(item)}
      />
      <IconButton
        label={t('Assign: {name}', { name })}
        data-tooltip={t('Assign (A)')}
        icon="user"
        className={size}
        aria-haspopup="dialog"
        onClick={() => actions.assign(item)}
      />
    </>
  )
}

/** What the swipe does, beside the row that moves. */
function SwipeHint({ isDone }: { isDone: boolean }) {
  return (
    <div
      aria-hidden="true"
      className={classNames(
        'absolute inset-0 flex items-center gap-2 px-4 font-semibold',
        isDone ? 'text-success' : 'justify-end text-warning',
      )}
    >
      <Icon name={isDone ? 'check' : 'moon'} />
      {isDone ? t('Done') : t('Snooze')}
    </div>
  )
}

import type { PointerEvent as ReactPointerEvent } from 'react'
import { JOB_STATUSES } from '@/domain/job'
import { serviceLabel } from '@/domain/lead'
import { crewLabel } from '@/features/jobs/lib/labels'
import { classNames } from '@/lib/class-names'
import { formatTime } from '@/lib/format/date'
import { pgettext, t } from '@/lib/i18n'
import { Icon } from '@/ui/icon'
import { getCrewBorderClass, type ScheduleTools } from '../lib/schedule-tools'
import type { Visit } from '../types'

type VisitCardProps = {
  visit: Visit
  tools: ScheduleTools
  /** Day and crew, where the surrounding element does not show them. */
  crew?: boolean
  /** Where there is little room: no service, and of what overlaps only the number. */
  small?: boolean
  /** How far behind its beginning it was taken, in minutes. */
  grabbedAt?: (event: ReactPointerEvent) => number
  onResize?: (event: ReactPointerEvent) => void
  className?: string
}

export function VisitCard({
  visit,
  tools,
  crew = false,
  small = false,
  grabbedAt,
  onResize,
  className,
}: VisitCardProps) {
  const { timeZone, canMove, overlaps, drag } = tools
  const others = overlaps.get(visit.id) ?? []
  const isDone = visit.status === 'Completed'
  const isMovable = canMove && !isDone
  return (
    <div className={classNames('relative min-w-0', drag?.visit.id === visit.id && 'opacity-45', className)}>
      <button
        type="button"
        data-visit={visit.id}
        aria-haspopup="dialog"
        title={
          small
            ? [
                visit.customer,
                formatVisitHours(visit, timeZone),
                ...(visit.paymentFailed ? [t('card refused')] : []),
              ].join(', ')
            : undefined
        }
        onClick={() => tools.open(visit)}
        onPointerDown={
          isMovable
            ? (event) => tools.take(event, { visit, mode: 'move', grabbed: grabbedAt?.(event) ?? 0 })
            : undefined
        }
        className={classNames(
          'flex h-full min-h-12 w-full flex-col items-start overflow-hidden rounded-field border border-l-4 bg-base-100 px-2 py-1 text-left text-note select-none hover:bg-primary/8',
          others.length > 0 ? 'border-warning' : 'border-primary/30',
          getCrewBorderClass(tools.schedule, visit.crewId),
          isMovable && 'cursor-grab',
          isDone && 'text-muted',
        )}
      >
        <span className="flex w-full min-w-0 items-center gap-1.5 font-semibold">
          {isDone && <Icon name="check" className="size-4 text-success" />}
          {visit.status === 'In Progress' && <Icon name="wrench" className="size-4 text-info" />}
          {visit.paymentFailed && <Icon name="dollar" className="size-4 text-error" />}
          <span className="truncate">{visit.customer}</span>
        </span>
        <span className="w-full truncate text-caption text-muted tabular-nums">
          {formatVisitHours(visit, timeZone)}
          {!small && `${visit.date ? ', ' : ''}${serviceLabel(visit.service)}`}
        </span>
        {crew && <span className="w-full truncate text-caption text-muted">{crewLabel(visit.crew)}</span>}
        <span className="sr-only">
          {JOB_STATUSES[visit.status].label}, #{visit.number}
          {visit.paymentFailed && `, ${t('card refused')}`}
        </span>
        {others.length > 0 && <OverlapBadge others={others} timeZone={timeZone} small={small} />}
      </button>
      {isMovable && onResize && (
        // Only for a pointer: the length is also a field of what the card opens.
        <span
          aria-hidden="true"
          data-resize={visit.id}
          onPointerDown={onResize}
          className="absolute inset-y-1 -right-1 w-3 cursor-ew-resize touch-none rounded-full hover:bg-primary/45"
        />
      )}
    </div>
  )
}

/** `9:00 AM – 11:00 AM`; nothing while it has no time. */
export function formatVisitHours({ date, endsAt }: Pick<Visit, 'date' | 'endsAt'>, timeZone: string): string {
  return date ? `${formatTime(date, timeZone)} – ${formatTime(endsAt ?? date, timeZone)}` : ''
}

export function OverlapBadge({
  others,
  timeZone,
  small = false,
}: {
  others: readonly Visit[]
  timeZone: string
  small?: boolean
}) {
  const first = others[0]
  if (!first) return null
  const more = others.length > 1 ? ` ${t('and {count} more', { count: others.length - 1 })}` : ''
  const when = small ? (
    <span className="sr-only">, {formatVisitHours(first, timeZone)}</span>
  ) : (
    `, ${formatVisitHours(first, timeZone)}`
  )
  return (
    <span className="flex w-full min-w-0 items-start gap-1 text-caption font-semibold text-warning">
      <Icon name="alert" className="mt-0.5 size-3.5" />
      <span className={classNames('min-w-0', small ? 'truncate' : 'wrap-anywhere')}>
        <span className={small ? 'sr-only' : undefined}>{pgettext('with the other visit', 'Overlaps')} </span>#
        {first.number}
        {when}
        {more}
      </span>
    </span>
  )
}

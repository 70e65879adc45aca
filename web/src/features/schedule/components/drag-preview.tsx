import { UNASSIGNED } from '@/domain/job'
import { formatDayTime } from '@/lib/format/zone-time'
import { formatDuration } from '@/lib/format/duration'
import { t } from '@/lib/i18n'
import { findVisitOverlaps } from '../lib/board-layout'
import { getDropTarget, withSlot } from '../lib/drop-target'
import type { ScheduleTools } from '../lib/schedule-tools'
import { scheduleMessages as texts } from '../messages'
import { OverlapBadge } from './visit-card'

export function DragPreview({ tools: { drag, schedule, timeZone, now } }: { tools: ScheduleTools }) {
  if (!drag) return null
  const { visit, over, x, y, mode } = drag
  const drop = over && getDropTarget(drag, over, schedule, timeZone)
  const crew = drop && drop !== 'tray' ? (schedule.crews.find(({ id }) => id === drop.crewId)?.name ?? UNASSIGNED) : ''
  const others =
    drop && drop !== 'tray'
      ? (findVisitOverlaps([...schedule.jobs.filter(({ id }) => id !== visit.id), withSlot(visit, drop, crew)]).get(
          visit.id,
        ) ?? [])
      : []
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none fixed top-0 left-0 z-50 max-w-64 rounded-field border border-primary bg-base-100 px-3 py-2 text-note shadow-lg"
      style={{ transform: `translate(${x + 14}px, ${y + 14}px)` }}
    >
      <p className="font-semibold">
        #{visit.number}, {visit.customer}
      </p>
      {drop === 'tray' && <p>{texts.tray}</p>}
      {drop && drop !== 'tray' && (
        <p className="tabular-nums">
          {formatDayTime(drop.startsAt, timeZone, now)}
          {mode === 'resize' ? `, ${formatDuration(drop.minutes)}` : `, ${crew}`}
        </p>
      )}
      {!drop && <p className="text-muted">{t('Stays as it is')}</p>}
      <OverlapBadge others={others} timeZone={timeZone} />
    </div>
  )
}

// What follows the pointer while a visit is moved: where it would go, and what it would overlap with.
import { UNASSIGNED } from '@/domain/job'
import { dayAndTime } from '@/lib/format/zone-time'
import { formatDuration } from '@/lib/format/duration'
import { overlapsOf } from '../lib/board'
import { dropOf, placed } from '../lib/drop'
import type { Tools } from '../lib/tools'
import { scheduleMessages as texts } from '../messages'
import { Overlaps } from './visit-card'

export function Ghost({ tools: { drag, schedule, timeZone, now } }: { tools: Tools }) {
  if (!drag) return null
  const { visit, over, x, y, mode } = drag
  const drop = over && dropOf(drag, over, schedule, timeZone)
  const crew = drop && drop !== 'tray' ? (schedule.crews.find(({ id }) => id === drop.crewId)?.name ?? UNASSIGNED) : ''
  const others =
    drop && drop !== 'tray'
      ? (overlapsOf([...schedule.jobs.filter(({ id }) => id !== visit.id), placed(visit, drop, crew)]).get(visit.id) ??
        [])
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
          {dayAndTime(drop.startsAt, timeZone, now)}
          {mode === 'resize' ? `, ${formatDuration(drop.minutes)}` : `, ${crew}`}
        </p>
      )}
      {!drop && <p className="text-muted">Stays as it is</p>}
      <Overlaps others={others} timeZone={timeZone} />
    </div>
  )
}

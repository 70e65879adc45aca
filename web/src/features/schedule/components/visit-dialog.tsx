// Actions of a visit without dragging.
import { useId, useState } from 'react'
import { JOB_DURATIONS } from '@/domain/job'
import { serviceLabel } from '@/domain/lead'
import { CrewSelect } from '@/features/jobs/actions/crew-select'
import { OverlapNotice } from '@/features/jobs/actions/overlap-notice'
import { CardDeclinedBadge, StatusBadge } from '@/features/jobs/components/job-badges'
import { placeLabel } from '@/features/jobs/lib/labels'
import { formatDuration } from '@/lib/format/duration'
import { getZoneDay, toInstant, getZoneTime } from '@/lib/format/zone-time'
import { useOnline } from '@/lib/hooks/use-online'
import { pgettext, t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Button, LinkButton } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { StatusLine } from '@/ui/status-line'
import { getVisitDuration } from '../lib/board-layout'
import { scheduleMessages as texts } from '../messages'
import { useMoveVisit } from '../mutations'
import type { Visit } from '../types'
import { formatVisitHours } from './visit-card'

const FIRST_TIME = '08:00'

type VisitDialogProps = {
  visit: Visit
  timeZone: string
  canMove: boolean
  /** The day that is looked at. */ day: string
  onClose: () => void
}

export function VisitDialog({ visit, timeZone, canMove, day, onClose }: VisitDialogProps) {
  const isMovable = canMove && visit.status !== 'Completed'
  return (
    <Dialog open onClose={onClose} title={`#${visit.number}, ${visit.customer}`}>
      <div className="grid gap-4">
        <div className="flex flex-wrap items-center gap-2">
          <StatusBadge status={visit.status} />
          <CardDeclinedBadge job={visit} />
          <span className="text-note text-muted">
            {[serviceLabel(visit.service), placeLabel(visit.location), formatVisitHours(visit, timeZone)]
              .filter(Boolean)
              .join(', ')}
          </span>
        </div>
        {isMovable && <MoveForm visit={visit} timeZone={timeZone} day={day} onClose={onClose} />}
        <LinkButton to={paths.job(visit.id)} variant="secondary" icon="briefcase" wide>
          {t('Open the job')}
        </LinkButton>
      </div>
    </Dialog>
  )
}

type MoveFormProps = Omit<VisitDialogProps, 'canMove'>

function useSlotFields({ visit, timeZone, day: looked }: Pick<MoveFormProps, 'visit' | 'timeZone' | 'day'>) {
  const at = visit.date ? Date.parse(visit.date) : undefined
  const [day, setDay] = useState(() => (at === undefined ? looked : getZoneDay(timeZone, at)))
  const [time, setTime] = useState(() => (at === undefined ? FIRST_TIME : getZoneTime(timeZone, at)))
  const [minutes, setMinutes] = useState(getVisitDuration(visit))
  const [crewId, setCrewId] = useState(visit.crewId ?? '')
  const startsAt = day === '' || time === '' ? undefined : toInstant(timeZone, day, time).toISOString()
  return { day, setDay, time, setTime, minutes, setMinutes, crewId, setCrewId, startsAt }
}

function MoveForm({ visit, timeZone, day, onClose }: MoveFormProps) {
  const id = useId()
  const slot = useSlotFields({ visit, timeZone, day })
  const [tell, setTell] = useState(true)
  const [isChecked, setIsChecked] = useState(false)
  const isOnline = useOnline()
  const { mutate } = useMoveVisit()
  const { startsAt, minutes, crewId } = slot
  const save = () => {
    setIsChecked(true)
    if (!startsAt) return
    mutate({ visit, to: { startsAt, minutes, crewId: crewId === '' ? null : crewId }, tell })
    onClose()
  }
  const unschedule = () => {
    mutate({ visit, to: 'tray', tell })
    onClose()
  }
  return (
    <form
      className="grid gap-4"
      aria-label={t('Move to')}
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <h3 className="font-semibold">{t('Move to…')}</h3>
      <div className="grid grid-cols-2 gap-3">
        <label htmlFor={`${id}-day`} className="grid gap-1.5 font-semibold">
          {t('Day')}
          <input
            id={`${id}-day`}
            type="date"
            className="input"
            value={slot.day}
            onChange={(event) => slot.setDay(event.target.value)}
          />
        </label>
        <label htmlFor={`${id}-time`} className="grid gap-1.5 font-semibold">
          {t('Time')}
          <input
            id={`${id}-time`}
            type="time"
            step={900}
            className="input"
            value={slot.time}
            onChange={(event) => slot.setTime(event.target.value)}
          />
        </label>
      </div>
      <DurationSelect id={`${id}-duration`} value={minutes} onChange={slot.setMinutes} />
      <CrewSelect value={crewId} onChange={slot.setCrewId} />
      {startsAt && <OverlapNotice jobId={visit.id} crewId={crewId} startsAt={startsAt} minutes={minutes} />}
      <label className="flex min-h-12 cursor-pointer items-start gap-3 py-2 text-note text-muted">
        <input
          type="checkbox"
          className="checkbox checkbox-primary mt-0.5"
          checked={tell}
          onChange={(event) => setTell(event.target.checked)}
        />
        <span>
          <span className="block font-semibold text-base-content">{texts.tell}</span>
          {texts.tellHint}
        </span>
      </label>
      {isChecked && !startsAt && (
        <div role="alert">
          <StatusLine tone="error" icon="alert">
            {texts.incomplete}
          </StatusLine>
        </div>
      )}
      {!isOnline && <p className="text-note text-warning">{texts.offline}</p>}
      <div className="flex flex-wrap justify-end gap-2">
        {visit.date && visit.status === 'Scheduled' && (
          <Button variant="ghost" icon="inbox" disabled={!isOnline} onClick={unschedule}>
            {t('Unschedule')}
          </Button>
        )}
        <Button type="submit" icon="calendar" disabled={!isOnline}>
          {visit.date ? t('Save the time') : pgettext('verb', 'Schedule')}
        </Button>
      </div>
    </form>
  )
}

function DurationSelect({ id, value, onChange }: { id: string; value: number; onChange: (minutes: number) => void }) {
  const offered = [...new Set<number>([...JOB_DURATIONS, value])].toSorted((a, b) => a - b)
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="font-semibold">
        {t('Duration')}
      </label>
      <select id={id} className="select" value={value} onChange={(event) => onChange(Number(event.target.value))}>
        {offered.map((minutes) => (
          <option key={minutes} value={minutes}>
            {formatDuration(minutes)}
          </option>
        ))}
      </select>
    </div>
  )
}

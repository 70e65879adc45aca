import { useId, useState } from 'react'
import { DEFAULT_DURATION, JOB_DURATIONS } from '@/domain/job'
import { formatDuration } from '@/lib/format/duration'
import { formatDayTime, getZoneDay, toInstant, getZoneTime } from '@/lib/format/zone-time'
import { useCurrentUser } from '@/features/session/use-session'
import { pgettext, t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { StatusLine } from '@/ui/status-line'
import { jobsMessages as texts } from '../messages'
import { useScheduleJob } from '../mutations'
import type { JobDetail } from '../types'
import { CrewSelect, useCrewName } from './crew-select'
import { OverlapNotice } from './overlap-notice'

const FIRST_TIME = '08:00'

type ScheduleJobDialogProps = { open: boolean; onClose: () => void; job: JobDetail }

export function ScheduleJobDialog({ open, onClose, job }: ScheduleJobDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={job.scheduledAt ? t('Change the time') : t('Schedule this job')}>
      <ScheduleForm job={job} onClose={onClose} />
    </Dialog>
  )
}

/** The day and time it has, else the next morning. */
function useSlotFields(job: JobDetail, timeZone: string) {
  const at = job.scheduledAt ? Date.parse(job.scheduledAt) : undefined
  const [day, setDay] = useState(() =>
    at === undefined ? getZoneDay(timeZone, Date.now(), 1) : getZoneDay(timeZone, at),
  )
  const [time, setTime] = useState(() => (at === undefined ? FIRST_TIME : getZoneTime(timeZone, at)))
  const startsAt = day === '' || time === '' ? undefined : toInstant(timeZone, day, time).toISOString()
  return { day, setDay, time, setTime, startsAt }
}

function ScheduleForm({ job, onClose }: { job: JobDetail; onClose: () => void }) {
  const id = useId()
  const { orgTimezone } = useCurrentUser()
  const { day, setDay, time, setTime, startsAt } = useSlotFields(job, orgTimezone)
  const [minutes, setMinutes] = useState(job.estimatedDuration || DEFAULT_DURATION)
  const [crewId, setCrewId] = useState(job.crewId ?? '')
  const [isChecked, setIsChecked] = useState(false)
  const schedule = useScheduleJob(job.id)
  const nameOf = useCrewName()
  const save = () => {
    setIsChecked(true)
    if (!startsAt) return
    const toastText = {
      title: texts.schedule.scheduled,
      description: `${formatDayTime(startsAt, orgTimezone, Date.now())}, ${nameOf(crewId)}`,
    }
    schedule.mutate(
      {
        change: { startsAt, durationMinutes: minutes, crewId: crewId === '' ? null : crewId, version: job.version },
        toastText,
      },
      { onSuccess: onClose },
    )
  }
  return (
    <div className="grid gap-4">
      <div className="grid grid-cols-2 gap-3">
        <label htmlFor={`${id}-day`} className="grid gap-1.5 font-semibold">
          {t('Day')}
          <input
            id={`${id}-day`}
            type="date"
            className="input"
            value={day}
            onChange={(event) => setDay(event.target.value)}
          />
        </label>
        <label htmlFor={`${id}-time`} className="grid gap-1.5 font-semibold">
          {t('Time')}
          <input
            id={`${id}-time`}
            type="time"
            step={900}
            className="input"
            value={time}
            onChange={(event) => setTime(event.target.value)}
          />
        </label>
      </div>
      <DurationSelect value={minutes} onChange={setMinutes} />
      <CrewSelect value={crewId} onChange={setCrewId} />
      <p className="text-caption text-muted">
        {t('On the clock of your business ({timeZone}).', { timeZone: orgTimezone.replaceAll('_', ' ') })}
      </p>
      {startsAt && <OverlapNotice jobId={job.id} crewId={crewId} startsAt={startsAt} minutes={minutes} />}
      {isChecked && !startsAt && (
        <div role="alert">
          <StatusLine tone="error" icon="alert">
            {texts.schedule.incomplete}
          </StatusLine>
        </div>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button variant="ghost" onClick={onClose}>
          {t('Close')}
        </Button>
        <Button icon="calendar" pending={schedule.isPending} pendingText={t('Saving...')} onClick={save}>
          {job.scheduledAt ? t('Save the time') : pgettext('verb', 'Schedule')}
        </Button>
      </div>
    </div>
  )
}

type DurationSelectProps = { value: number; onChange: (minutes: number) => void }

function DurationSelect({ value, onChange }: DurationSelectProps) {
  const id = useId()
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

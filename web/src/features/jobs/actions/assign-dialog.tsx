import { useState } from 'react'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { OverlapNotice } from './overlap-notice'
import { jobsMessages as texts } from '../messages'
import { useScheduleJob } from '../mutations'
import type { JobDetail } from '../types'
import { CrewSelect, useCrewName } from './crew-select'

type AssignCrewDialogProps = { open: boolean; onClose: () => void; job: JobDetail }

export function AssignCrewDialog({ open, onClose, job }: AssignCrewDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={t('Reassign')}>
      <AssignForm job={job} onClose={onClose} />
    </Dialog>
  )
}

function AssignForm({ job, onClose }: { job: JobDetail; onClose: () => void }) {
  const [crewId, setCrewId] = useState(job.crewId ?? '')
  const schedule = useScheduleJob(job.id)
  const nameOf = useCrewName()
  const startsAt = job.scheduledAt ?? null
  const send = () => {
    const change = {
      startsAt,
      durationMinutes: job.estimatedDuration,
      crewId: crewId === '' ? null : crewId,
      version: job.version,
    }
    schedule.mutate(
      { change, toastText: { title: texts.schedule.reassigned, description: nameOf(crewId) } },
      { onSuccess: onClose },
    )
  }
  return (
    <div className="grid gap-4">
      <CrewSelect value={crewId} onChange={setCrewId} />
      {startsAt && <OverlapNotice jobId={job.id} crewId={crewId} startsAt={startsAt} minutes={job.estimatedDuration} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button variant="ghost" onClick={onClose}>
          {t('Close')}
        </Button>
        <Button
          icon="check"
          pending={schedule.isPending}
          pendingText={t('Reassigning...')}
          disabled={crewId === (job.crewId ?? '')}
          onClick={send}
        >
          {t('Reassign')}
        </Button>
      </div>
    </div>
  )
}

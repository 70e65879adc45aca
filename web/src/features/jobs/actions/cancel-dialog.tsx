import { useId, useState } from 'react'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { StatusLine } from '@/ui/status-line'
import { jobsMessages as texts } from '../messages'
import { useChangeJobStatus } from '../mutations'
import type { JobDetail } from '../types'

const MIN_REASON_LENGTH = 3

type CancelJobDialogProps = { open: boolean; onClose: () => void; job: JobDetail }

export function CancelJobDialog({ open, onClose, job }: CancelJobDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={t('Cancel this job?')}>
      <CancelForm job={job} onClose={onClose} />
    </Dialog>
  )
}

function CancelForm({ job, onClose }: { job: JobDetail; onClose: () => void }) {
  const id = useId()
  const [reason, setReason] = useState('')
  const [isChecked, setIsChecked] = useState(false)
  const cancel = useChangeJobStatus(job)
  const isTooShort = reason.trim().length < MIN_REASON_LENGTH
  const isFault = isChecked && isTooShort
  const send = () => {
    setIsChecked(true)
    if (isTooShort) return
    cancel.mutate(
      { change: { to: 'cancelled', reason: reason.trim() }, title: texts.status.cancelled },
      { onSuccess: onClose },
    )
  }
  return (
    <div className="grid gap-4">
      <p className="text-muted">{t('It leaves the schedule and keeps its number. It can be restored later.')}</p>
      <div className="grid gap-1.5">
        <label htmlFor={id} className="font-semibold">
          {t('Reason')}
          <span aria-hidden="true" className="text-secondary">
            {' '}
            *
          </span>
        </label>
        <textarea
          id={id}
          rows={2}
          className="textarea"
          aria-required
          aria-invalid={isFault || undefined}
          aria-describedby={isFault ? `${id}-fault` : undefined}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        {isFault && (
          <div id={`${id}-fault`} role="alert">
            <StatusLine tone="error" icon="alert">
              {texts.status.reason}
            </StatusLine>
          </div>
        )}
      </div>
      <div className="flex flex-wrap justify-end gap-2">
        <Button variant="ghost" onClick={onClose}>
          {t('Keep the job')}
        </Button>
        <Button
          variant="danger"
          icon="close"
          pending={cancel.isPending}
          pendingText={t('Cancelling...')}
          onClick={send}
        >
          {t('Cancel the job')}
        </Button>
      </div>
    </div>
  )
}

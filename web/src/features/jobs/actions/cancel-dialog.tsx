// Cancels a job: not without a reason.
import { useState } from 'react'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Field } from '@/ui/field'
import { jobsMessages as texts } from '../messages'
import { useChangeStatus } from '../mutations'
import type { JobDetail } from '../types'

const SHORTEST_REASON = 3

type CancelDialogProps = { open: boolean; onClose: () => void; job: JobDetail }

export function CancelDialog({ open, onClose, job }: CancelDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Cancel this job?">
      <CancelForm job={job} onClose={onClose} />
    </Dialog>
  )
}

function CancelForm({ job, onClose }: { job: JobDetail; onClose: () => void }) {
  const [reason, setReason] = useState('')
  const [isChecked, setIsChecked] = useState(false)
  const cancel = useChangeStatus(job)
  const isTooShort = reason.trim().length < SHORTEST_REASON
  const send = () => {
    setIsChecked(true)
    if (isTooShort) return
    cancel.mutate({ change: { to: 'cancelled', reason: reason.trim() }, title: texts.status.cancelled }, { onSuccess: onClose })
  }
  return (
    <div className="grid gap-4">
      <p className="text-muted">It leaves the schedule and keeps its number. It can be restored later.</p>
      <Field label="Reason" required error={isChecked && isTooShort ? texts.status.reason : undefined}>
        {(wiring) => <textarea rows={2} className="textarea" aria-required {...wiring} value={reason} onChange={(event) => setReason(event.target.value)} />}
      </Field>
      <div className="flex flex-wrap justify-end gap-2">
        <Button variant="ghost" onClick={onClose}>Keep the job</Button>
        <Button variant="danger" icon="close" pending={cancel.isPending} pendingText="Cancelling..." onClick={send}>Cancel the job</Button>
      </div>
    </div>
  )
}

// Completion: missing photos, open checklist items, last note.
import { useId, useState } from 'react'
import { useReportDirty } from '@/lib/dirty-forms'
import { t } from '@/lib/i18n'
import { useJobOutboxEntries } from '@/offline/outbox/use-outbox'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { StatusLine } from '@/ui/status-line'
import type { JobDetail } from '@/features/jobs/types'
import { missingPhotos, openChecklistItems } from '../lib/steps'
import { useRunCommand } from '../lib/use-run-command'
import { crewMessages as texts } from '../messages'
import { ChecklistItem } from './checklist-section'
import { PhotoCapture } from './photo-capture'

/** `job` with the pending changes of this phone. */
export function CompleteJobSheet({ job, onClose }: { job: JobDetail; onClose: () => void }) {
  const id = useId()
  const [note, setNote] = useState('')
  const act = useRunCommand(job)
  const missing = missingPhotos(job, useJobOutboxEntries(job.id))
  // Those that are open as the sheet opens: a line that is ticked here stays in sight.
  const [open] = useState(() => new Set(openChecklistItems(job).map((line) => line.id)))
  const lines = job.checklist.filter((line) => open.has(line.id))
  const body = note.trim()
  useReportDirty(body !== '')
  const finish = async () => {
    if (body !== '' && !(await act({ kind: 'note', body }))) return
    setNote('')
    if (await act({ kind: 'status', to: 'completed' })) onClose()
  }
  return (
    <Dialog open onClose={onClose} title={t('Done here?')}>
      <div className="grid gap-4">
        {missing.map((moment) => (
          <div key={moment} className="grid gap-2">
            <StatusLine tone="warning" icon="camera">
              {texts.photos[moment]}
            </StatusLine>
            <PhotoCapture job={job} moment={moment} />
          </div>
        ))}
        {lines.length > 0 && (
          <fieldset className="min-w-0">
            <legend className="font-semibold">{t('Still to tick')}</legend>
            <ul className="grid divide-y divide-primary/15">
              {lines.map((line) => (
                <ChecklistItem key={line.id} job={job} line={line} />
              ))}
            </ul>
          </fieldset>
        )}
        <div className="grid gap-1.5">
          <label htmlFor={id} className="font-semibold">
            {t('Note')}
            <span className="font-normal text-muted"> {t('(optional)')}</span>
          </label>
          <textarea
            id={id}
            rows={2}
            className="textarea"
            value={note}
            onChange={(event) => setNote(event.target.value)}
          />
        </div>
        <Button
          icon="check"
          wide
          className="min-h-14! text-crew!"
          disabled={missing.length > 0}
          onClick={() => void finish()}
        >
          {t('Done')}
        </Button>
      </div>
    </Dialog>
  )
}

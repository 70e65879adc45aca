import { useState } from 'react'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import type { JobDetail } from '@/features/jobs/types'
import { useRunCommand } from '../lib/use-run-command'
import { MinuteChips } from './minute-chips'

const DELAY_MINUTES = [10, 15, 30, 60] as const

export function DelaySheet({ job, onClose }: { job: JobDetail; onClose: () => void }) {
  const [minutes, setMinutes] = useState<number>(15)
  const act = useRunCommand(job)
  const send = async () => {
    if (await act({ kind: 'late', minutes })) onClose()
  }
  return (
    <Dialog open onClose={onClose} title={t('Running late')}>
      <div className="grid gap-4">
        <p className="text-muted">{t('We tell {name} that you are running late.', { name: job.customerName })}</p>
        <MinuteChips label={t('Later by')} choices={DELAY_MINUTES} value={minutes} onChange={setMinutes} />
        <Button icon="send" wide className="min-h-14!" onClick={() => void send()}>
          {t('Say so')}
        </Button>
      </div>
    </Dialog>
  )
}

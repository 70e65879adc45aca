// State of a change that waits on the device, with Undo.
import { t } from '@/lib/i18n'
import { toast } from '@/ui/toast/toast-store'
import { Button } from '@/ui/button'
import { StatusLine } from '@/ui/status-line'
import type { OutboxEntry } from './entry'
import { outbox } from './outbox'
import { describeRefusal, outboxTexts as texts } from './texts'
import { sendOutboxNow } from './use-outbox-sync'

export function showQueuedToast(): void {
  toast.show(texts.waiting, { description: texts.leavesLater, variant: 'info' })
}

/** False if it was sent before, which the person is told. */
export async function undoQueued(entry: OutboxEntry): Promise<boolean> {
  const isRemoved = await outbox.undo(entry)
  if (!isRemoved) toast.error(texts.tooLate.title, texts.tooLate.description)
  return isRemoved
}

/** Sends a message although it waited too long. */
export async function confirmQueued(entry: OutboxEntry): Promise<void> {
  await outbox.confirm(entry)
  await sendOutboxNow()
}

export async function retryQueued(entry: OutboxEntry): Promise<void> {
  await outbox.again(entry)
  await sendOutboxNow()
}

export function QueuedLine({
  entry,
  subject,
}: {
  entry: OutboxEntry
  /** What waits, for screen readers. */ subject: string
}) {
  const { refusal } = entry
  const isRefused = refusal !== null
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-3">
      <StatusLine tone={isRefused ? 'error' : 'warning'} icon={isRefused ? 'alert' : 'clock'}>
        {isRefused ? `${texts.refused}: ${describeRefusal(refusal)}` : texts.waiting}
      </StatusLine>
      <span className="flex">
        {isRefused && (
          <Button variant="ghost" icon="refresh" onClick={() => void retryQueued(entry)}>
            {t('Try again')}
            <span className="sr-only">: {subject}</span>
          </Button>
        )}
        <Button variant="ghost" icon="undo" onClick={() => void undoQueued(entry)}>
          {texts.undo}
          <span className="sr-only">: {subject}</span>
        </Button>
      </span>
    </div>
  )
}

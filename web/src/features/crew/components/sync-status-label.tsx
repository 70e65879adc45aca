import type { OutboxEntry } from '@/offline/outbox/entry'
import { StatusLine } from '@/ui/status-line'
import { crewMessages as texts } from '../messages'

export function SyncStatusLabel({ entry: { refusal } }: { entry: Pick<OutboxEntry, 'refusal'> }) {
  return refusal === null ? (
    <StatusLine tone="warning" icon="clock">
      {texts.waiting}
    </StatusLine>
  ) : (
    <StatusLine tone="error" icon="alert">
      {texts.refused}: {refusal}
    </StatusLine>
  )
}

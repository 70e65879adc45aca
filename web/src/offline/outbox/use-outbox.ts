import { useSyncExternalStore } from 'react'
import type { OutboxEntry } from './entry'
import { outbox } from './outbox'

export function useOutboxEntries(): readonly OutboxEntry[] {
  return useSyncExternalStore(outbox.subscribe, outbox.current)
}

export function useJobOutboxEntries(jobId: string): readonly OutboxEntry[] {
  return useOutboxEntries().filter((entry) => entry.jobId === jobId)
}

export function useIsOutboxSending(): boolean {
  return useSyncExternalStore(outbox.subscribe, outbox.isSending)
}

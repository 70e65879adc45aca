import { useSyncExternalStore } from 'react'
import type { OutboxEntry } from './entry'
import { outbox } from './outbox'

export type EntryOfKind<Kind extends OutboxEntry['command']['kind']> = OutboxEntry & {
  command: Extract<OutboxEntry['command'], { kind: Kind }>
}

export function useOutboxEntries(): readonly OutboxEntry[] {
  return useSyncExternalStore(outbox.subscribe, outbox.current)
}

export function useJobOutboxEntries(jobId: string): readonly OutboxEntry[] {
  return useOutboxEntries().filter((entry) => entry.jobId === jobId)
}

/** Entries of one kind, of a customer or lead or of all. */
export function useEntriesOfKind<Kind extends OutboxEntry['command']['kind']>(kind: Kind, subjectId?: string) {
  return useOutboxEntries().filter(
    (entry): entry is EntryOfKind<Kind> =>
      entry.command.kind === kind && (subjectId === undefined || entry.jobId === subjectId),
  )
}

export function useIsOutboxSending(): boolean {
  return useSyncExternalStore(outbox.subscribe, outbox.isSending)
}

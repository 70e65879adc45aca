// Marks that wait on this device, and what they change in the list.
import { useMemo } from 'react'
import type { OutboxEntry } from '@/offline/outbox/entry'
import { type EntryOfKind, useOutboxEntries } from '@/offline/outbox/use-outbox'
import type { WorkItem } from '../types'

export type MarkEntry = EntryOfKind<'work_done' | 'work_snooze' | 'work_assign'>

export type PendingMarks = {
  /** Refused ones too. */
  entries: readonly MarkEntry[]
  /** Keys of the items that are done or snoozed. */
  hiddenKeys: ReadonlySet<string>
  /** By the key of the item. */
  assignees: ReadonlyMap<string, WorkItem['assignee']>
}

function isMarkEntry(entry: OutboxEntry): entry is MarkEntry {
  const { kind } = entry.command
  return kind === 'work_done' || kind === 'work_snooze' || kind === 'work_assign'
}

/** Pending marks count as made, refused ones do not. */
export function collectMarks(outbox: readonly OutboxEntry[]): PendingMarks {
  const entries = outbox.filter((entry): entry is MarkEntry => isMarkEntry(entry))
  const hiddenKeys = new Set<string>()
  const assignees = new Map<string, WorkItem['assignee']>()
  for (const { jobId, command, refusal } of entries) {
    if (refusal !== null) continue
    if (command.kind === 'work_assign') assignees.set(jobId, command.to)
    else hiddenKeys.add(jobId)
  }
  return { entries, hiddenKeys, assignees }
}

export function usePendingMarks(): PendingMarks {
  const outbox = useOutboxEntries()
  return useMemo(() => collectMarks(outbox), [outbox])
}

/** The item as it is once its assignment is sent; the same object without one. */
export function withPendingAssignee(item: WorkItem, { assignees }: PendingMarks): WorkItem {
  const assignee = assignees.get(item.key)
  return assignee === undefined ? item : { ...item, assignee }
}

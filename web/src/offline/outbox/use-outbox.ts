// The outbox for screens.
import { useSyncExternalStore } from 'react'
import type { Entry } from './entry'
import { outbox } from './outbox'

/** All that is not sent yet, oldest first. */
export function useOutbox(): readonly Entry[] {
  return useSyncExternalStore(outbox.subscribe, outbox.current)
}

/** What is not sent yet of one job. */
export function useOutboxOf(jobId: string): readonly Entry[] {
  return useOutbox().filter((entry) => entry.jobId === jobId)
}

/** Whether it is being sent right now. */
export function useIsSending(): boolean {
  return useSyncExternalStore(outbox.subscribe, outbox.isSending)
}

// Runs a job command through the outbox, online and offline.
import { isDemoMode } from '@/lib/demo'
import { formatJobName } from '@/features/jobs/mutations'
import type { JobDetail } from '@/features/jobs/types'
import type { OutboxCommand } from '@/offline/outbox/entry'
import { outbox } from '@/offline/outbox/outbox'
import { sendOutboxNow } from '@/offline/outbox/use-outbox-sync'
import { StoreLockedError } from '@/offline/store-keys'
import { toast } from '@/ui/toast/toast-store'
import { crewMessages as texts } from '../messages'

/** The demonstration keeps nothing on a phone. */
async function refuseInDemo(): Promise<false> {
  const { showDemoRefusal: sayRefused } = await import('@/ui/toast/demo-refusal')
  sayRefused()
  return false
}

/** Gives whether it is kept. */
export type RunCommand = (command: OutboxCommand, photo?: ArrayBuffer) => Promise<boolean>

async function enqueueCommand(
  job: Pick<JobDetail, 'id' | 'number' | 'customerName'>,
  command: OutboxCommand,
  photo?: ArrayBuffer,
): Promise<boolean> {
  if (isDemoMode()) return refuseInDemo()
  try {
    await outbox.add({ jobId: job.id, jobName: formatJobName(job), command, ...(photo ? { photo } : {}) })
  } catch (error) {
    // A phone that is full or forbids storage says so; anything else is a fault of ours.
    if (!(error instanceof DOMException || error instanceof StoreLockedError) && 'indexedDB' in globalThis) throw error
    toast.error(texts.notKept.title, texts.notKept.description)
    return false
  }
  void sendOutboxNow()
  return true
}

export function useRunCommand(job: Pick<JobDetail, 'id' | 'number' | 'customerName'>): RunCommand {
  return (command, photo) => enqueueCommand(job, command, photo)
}

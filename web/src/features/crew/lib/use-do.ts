// Does something to a job, with or without a network: it is kept on this phone first, and then sent.
import { inDemo } from '@/lib/demo'
import { jobName } from '@/features/jobs/mutations'
import type { JobDetail } from '@/features/jobs/types'
import type { Command } from '@/offline/outbox/entry'
import { outbox } from '@/offline/outbox/outbox'
import { sendNow } from '@/offline/outbox/use-outbox-keeper'
import { StoreLocked } from '@/offline/store-keys'
import { toast } from '@/ui/toast/toast-store'
import { crewMessages as texts } from '../messages'

/** The demonstration keeps nothing on a phone. */
async function refuse(): Promise<false> {
  const { sayRefused } = await import('@/ui/toast/demo-refusal')
  sayRefused()
  return false
}

/** Gives whether it is kept. */
export type Do = (command: Command, photo?: ArrayBuffer) => Promise<boolean>

async function keep(
  job: Pick<JobDetail, 'id' | 'number' | 'customerName'>,
  command: Command,
  photo?: ArrayBuffer,
): Promise<boolean> {
  if (inDemo()) return refuse()
  try {
    await outbox.add({ jobId: job.id, jobName: jobName(job), command, ...(photo ? { photo } : {}) })
  } catch (error) {
    // A phone that is full or forbids storage says so; anything else is a fault of ours.
    if (!(error instanceof DOMException || error instanceof StoreLocked) && 'indexedDB' in globalThis) throw error
    toast.error(texts.notKept.title, texts.notKept.description)
    return false
  }
  void sendNow()
  return true
}

export function useDo(job: Pick<JobDetail, 'id' | 'number' | 'customerName'>): Do {
  return (command, photo) => keep(job, command, photo)
}

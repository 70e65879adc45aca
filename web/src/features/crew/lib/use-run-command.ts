// Runs a job command through the outbox, online and offline.
import { isDemoMode } from '@/lib/demo'
import { formatJobName } from '@/features/jobs/mutations'
import type { JobDetail } from '@/features/jobs/types'
import type { OutboxCommand } from '@/offline/outbox/entry'
import { queueCommand } from '@/offline/outbox/queue-command'
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
  const isKept = await queueCommand({
    jobId: job.id,
    jobName: formatJobName(job),
    command,
    ...(photo ? { photo } : {}),
  })
  if (!isKept) toast.error(texts.notKept.title, texts.notKept.description)
  return isKept
}

export function useRunCommand(job: Pick<JobDetail, 'id' | 'number' | 'customerName'>): RunCommand {
  return (command, photo) => enqueueCommand(job, command, photo)
}

// Stores an annotated photo in the outbox.
import type { FileMoment } from '@/domain/job'
import type { OutboxCommand, OutboxEntry, PhotoOriginal } from '@/offline/outbox/entry'
import { annotatedCaption } from '@/features/jobs/annotate/marks'
import { jobsMessages } from '@/features/jobs/messages'
import type { AutomatedFile, JobDetail } from '@/features/jobs/types'
import { toast } from '@/ui/toast/toast-store'
import { useRunCommand } from './use-run-command'

/** A photo that has not left this phone. */
export type PendingPhoto = Pick<OutboxEntry, 'id' | 'refusal'> & { command: Extract<OutboxCommand, { kind: 'photo' }> }

type AnnotatedPhoto = {
  name: string
  moment: FileMoment
  caption?: string | null | undefined
  takenAt: string
  copyOf: PhotoOriginal
}

/** Group of copies of request photos: before the work. */
const REQUEST_PHOTO_MOMENT: FileMoment = 'before'

/** Both give why it was not kept; nothing once it is. */
export function useEnqueuePhotoCopy(job: JobDetail) {
  const act = useRunCommand(job)
  const { saved, notKept } = jobsMessages.draw
  const keep = async (
    { moment, takenAt, copyOf, ...original }: AnnotatedPhoto,
    file: File,
  ): Promise<string | undefined> => {
    const { name, type } = file
    if (
      !(await act(
        { kind: 'photo', moment, name, type, takenAt, caption: annotatedCaption(original), copyOf },
        await file.arrayBuffer(),
      ))
    )
      return notKept
    toast.success(saved.title, saved.description)
    return undefined
  }
  return {
    ofArrived: ({ id, name, moment, caption, createdAt }: AutomatedFile, file: File) =>
      keep({ name, caption, moment: moment ?? REQUEST_PHOTO_MOMENT, takenAt: createdAt, copyOf: { fileId: id } }, file),
    ofWaiting: ({ id, command: { name, moment, caption, takenAt } }: PendingPhoto, file: File) =>
      keep({ name, moment, caption, takenAt, copyOf: { entryId: id } }, file),
  }
}

// Keeps a photo that was drawn on, on site: on this phone first, as every photo, then sent.
import type { FileMoment } from '@/domain/job'
import type { Command, Entry, Original } from '@/offline/outbox/entry'
import { captionOfCopy } from '@/features/jobs/annotate/marks'
import { jobsMessages } from '@/features/jobs/messages'
import type { AutomatedFile, JobDetail } from '@/features/jobs/types'
import { toast } from '@/ui/toast/toast-store'
import { useDo } from './use-do'

/** A photo that has not left this phone. */
export type WaitingPhoto = Pick<Entry, 'id' | 'refusal'> & { command: Extract<Command, { kind: 'photo' }> }

type Drawn = {
  name: string
  moment: FileMoment
  caption?: string | null | undefined
  takenAt: string
  copyOf: Original
}

/** Where a photo of the request is drawn on: what is there before the work. */
const OF_REQUEST: FileMoment = 'before'

/** Both give why it was not kept; nothing once it is. */
export function useKeepCopy(job: JobDetail) {
  const act = useDo(job)
  const { saved, notKept } = jobsMessages.draw
  const keep = async ({ moment, takenAt, copyOf, ...original }: Drawn, file: File): Promise<string | undefined> => {
    const { name, type } = file
    if (
      !(await act(
        { kind: 'photo', moment, name, type, takenAt, caption: captionOfCopy(original), copyOf },
        await file.arrayBuffer(),
      ))
    )
      return notKept
    toast.success(saved.title, saved.description)
    return undefined
  }
  return {
    ofArrived: ({ id, name, moment, caption, createdAt }: AutomatedFile, file: File) =>
      keep({ name, caption, moment: moment ?? OF_REQUEST, takenAt: createdAt, copyOf: { fileId: id } }, file),
    ofWaiting: ({ id, command: { name, moment, caption, takenAt } }: WaitingPhoto, file: File) =>
      keep({ name, moment, caption, takenAt, copyOf: { entryId: id } }, file),
  }
}

// Uploads an annotated photo from the office.
import { describeError } from '@/api/errors'
import type { FileMoment } from '@/domain/job'
import { toast } from '@/ui/toast/toast-store'
import { useAddFiles } from '../file-mutations'
import { jobsMessages as texts } from '../messages'
import type { AutomatedFile } from '../types'
import { annotatedCaption } from './marks'

/** Gives why it was not saved; nothing once it is. `now` is the moment of a photo that names none. */
export function useSavePhotoCopy(jobId: string, now: FileMoment) {
  const add = useAddFiles(jobId)
  return async (original: AutomatedFile, file: File): Promise<string | undefined> => {
    if (!navigator.onLine) return texts.offline
    try {
      await add.mutateAsync({
        key: `${jobId}:copy:${original.id}`,
        files: [file],
        about: { moment: original.moment ?? now, caption: annotatedCaption(original), madeFrom: original.id },
      })
    } catch (error) {
      return describeError(error, texts.draw.notSaved).description
    }
    toast.success(texts.draw.saved.title, texts.draw.saved.description)
    return undefined
  }
}

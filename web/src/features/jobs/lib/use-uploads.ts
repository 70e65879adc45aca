// Upload queue: prepared one by one, sent in batches, each retryable.
import { useState } from 'react'
import { describeError } from '@/api/errors'
import { type FileDetails, type FileBatch, useAddFiles } from '../file-mutations'
import { jobsMessages as texts } from '../messages'
import { type FileKind, splitIntoBatches, prepareFile } from './file-rules'

export type Upload = FileBatch & { /** Why it did not arrive; undefined while it is under way. */ failureText?: string }

let nextKey = 1

function batchKey(jobId: string): string {
  nextKey += 1
  return `${jobId}:${nextKey}:${Date.now()}`
}

export function useUploads(jobId: string, kind: FileKind, about: FileDetails) {
  const add = useAddFiles(jobId)
  const [preparing, setPreparing] = useState(0)
  const [refused, setRefused] = useState<readonly string[]>([])
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const put = (upload: Upload) => setUploads((all) => [...all.filter(({ key }) => key !== upload.key), upload])
  const drop = (key: string) => setUploads((all) => all.filter((upload) => upload.key !== key))

  async function send({ key, files, about: details }: FileBatch): Promise<void> {
    const batch = { key, files, about: details }
    put(batch)
    try {
      await add.mutateAsync(batch)
      drop(key)
    } catch (error) {
      put({ ...batch, failureText: describeError(error, texts.files.failed).description })
    }
  }

  async function choose(chosen: readonly File[]): Promise<void> {
    const ready: File[] = []
    setRefused([])
    setPreparing((count) => count + chosen.length)
    for (const file of chosen) {
      // One after the other: many large photos at once are too much for a small phone.
      // oxlint-disable-next-line no-await-in-loop
      const prepared = await prepareFile(file, kind)
      if ('file' in prepared) ready.push(prepared.file)
      else setRefused((sentences) => [...sentences, prepared.refused])
      setPreparing((count) => count - 1)
    }
    for (const files of splitIntoBatches(ready)) {
      // A weak line carries one request better than three.
      // oxlint-disable-next-line no-await-in-loop
      await send({ key: batchKey(jobId), files, about })
    }
  }

  return { preparing, refused, uploads, choose, again: send, drop }
}

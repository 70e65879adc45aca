// Chunk that a screen does without while it cannot be fetched, and shows once it can.
import { useEffect, useState } from 'react'
import { isChunkLoadError } from '../chunk-load-error'
import { useOnline } from './use-online'

const RETRY_MS = 5000

/** `missing` until the connection is there. Another fault than the network's is thrown. */
export type OnlineChunk<Module> = { status: 'loading' } | { status: 'missing' } | { status: 'loaded'; module: Module }

/** @param load must be the same function in each render. */
export function useOnlineChunk<Module>(load: () => Promise<Module>): OnlineChunk<Module> {
  const [chunk, setChunk] = useState<OnlineChunk<Module>>({ status: 'loading' })
  const [fault, setFault] = useState<Error>()
  const isOnline = useOnline()
  const isLoaded = chunk.status === 'loaded'
  useEffect(() => {
    if (!isOnline || isLoaded) return
    let isCurrent = true
    let timer: ReturnType<typeof setTimeout> | undefined
    const attempt = async () => {
      try {
        const module = await load()
        if (isCurrent) setChunk({ status: 'loaded', module })
      } catch (error) {
        if (!isCurrent) return
        if (!(error instanceof Error && isChunkLoadError(error))) {
          setFault(new Error('a chunk failed', { cause: error }))
          return
        }
        setChunk({ status: 'missing' })
        timer = setTimeout(() => void attempt(), RETRY_MS)
      }
    }
    void attempt()
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [load, isOnline, isLoaded])
  if (fault) throw fault
  return isOnline || isLoaded ? chunk : { status: 'missing' }
}

// Note draft, stored encrypted: phones may kill hidden pages.
import { useEffect, useRef, useState } from 'react'
import { isDemoMode } from '@/lib/demo'
import { deviceStore } from '@/offline/device-store'

/** What was written last is what stays. */
let writeQueue: Promise<void> = Promise.resolve()

async function writeDraft(owner: string, key: string, text: string): Promise<void> {
  try {
    await (text === '' ? deviceStore.remove(key) : deviceStore.write(owner, key, text))
  } catch (error) {
    // The device is full or forbids databases: the draft lasts as long as the page.
    if (!(error instanceof DOMException) && 'indexedDB' in globalThis) throw error
  }
}

async function readDraft(key: string): Promise<string | undefined> {
  try {
    return await deviceStore.read(key)
  } catch (error) {
    if (!(error instanceof DOMException) && 'indexedDB' in globalThis) throw error
    return undefined
  }
}

/** The text, and what changes it. */
export function useNoteDraft(owner: string, key: string): [string, (text: string) => void] {
  const [text, setText] = useState('')
  const isTyped = useRef(false)
  useEffect(() => {
    if (isDemoMode()) return undefined
    let isLeft = false
    const show = async () => {
      const stored = await readDraft(key)
      if (stored !== undefined && !isLeft && !isTyped.current) setText(stored)
    }
    void show()
    return () => {
      isLeft = true
    }
  }, [key])
  const change = (next: string) => {
    isTyped.current = true
    setText(next)
    if (!isDemoMode()) writeQueue = writeQueue.then(() => writeDraft(owner, key, next))
  }
  return [text, change]
}

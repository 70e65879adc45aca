// A note that is being typed: a phone may end a page that is out of sight, and what was typed is there again. It is kept
// encrypted, as all of this device's copies.
import { useEffect, useRef, useState } from 'react'
import { inDemo } from '@/lib/demo'
import { deviceStore } from '@/offline/device-store'

/** What was written last is what stays. */
let turn: Promise<void> = Promise.resolve()

async function keep(owner: string, key: string, text: string): Promise<void> {
  try {
    await (text === '' ? deviceStore.remove(key) : deviceStore.write(owner, key, text))
  } catch (error) {
    // The device is full or forbids databases: the draft lasts as long as the page.
    if (!(error instanceof DOMException) && 'indexedDB' in globalThis) throw error
  }
}

async function read(key: string): Promise<string | undefined> {
  try {
    return await deviceStore.read(key)
  } catch (error) {
    if (!(error instanceof DOMException) && 'indexedDB' in globalThis) throw error
    return undefined
  }
}

/** The text, and what changes it. */
export function useDraft(owner: string, key: string): [string, (text: string) => void] {
  const [text, setText] = useState('')
  const isTyped = useRef(false)
  useEffect(() => {
    if (inDemo()) return undefined
    let isLeft = false
    const show = async () => {
      const kept = await read(key)
      if (kept !== undefined && !isLeft && !isTyped.current) setText(kept)
    }
    void show()
    return () => {
      isLeft = true
    }
  }, [key])
  const change = (next: string) => {
    isTyped.current = true
    setText(next)
    if (!inDemo()) turn = turn.then(() => keep(owner, key, next))
  }
  return [text, change]
}

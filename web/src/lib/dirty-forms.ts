// Which forms hold words that a reload would lose.
import { useEffect, useId, useSyncExternalStore } from 'react'

const dirty = new Set<string>()
const listeners = new Set<() => void>()

function changed(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** True while any form on the page has been typed in and not sent. */
export function hasDirtyForm(): boolean {
  return dirty.size > 0
}

export function useHasDirtyForm(): boolean {
  return useSyncExternalStore(subscribe, hasDirtyForm)
}

/** Says of the calling form whether it is dirty; not any more once it is gone. */
export function useReportDirty(isDirty: boolean): void {
  const id = useId()
  useEffect(() => {
    if (!isDirty) return
    dirty.add(id)
    changed()
    return () => {
      dirty.delete(id)
      changed()
    }
  }, [id, isDirty])
}

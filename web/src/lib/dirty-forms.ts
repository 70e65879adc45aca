// Registry of forms with unsaved input.
import { useEffect, useId, useSyncExternalStore } from 'react'

const dirtyForms = new Set<string>()
const listeners = new Set<() => void>()

function notifyListeners(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export function hasDirtyForm(): boolean {
  return dirtyForms.size > 0
}

export function useHasDirtyForm(): boolean {
  return useSyncExternalStore(subscribe, hasDirtyForm)
}

export function useReportDirty(isDirty: boolean): void {
  const id = useId()
  useEffect(() => {
    if (!isDirty) return
    dirtyForms.add(id)
    notifyListeners()
    return () => {
      dirtyForms.delete(id)
      notifyListeners()
    }
  }, [id, isDirty])
}

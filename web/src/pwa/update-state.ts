// State of a waiting version.
import { useSyncExternalStore } from 'react'

let applyUpdate: (() => void) | undefined
const listeners = new Set<() => void>()

export function offerUpdate(onApply: () => void): void {
  applyUpdate = onApply
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export function useWaitingUpdate(): (() => void) | undefined {
  return useSyncExternalStore(subscribe, () => applyUpdate)
}

/** For tests. */
export function resetUpdate(): void {
  applyUpdate = undefined
  for (const listener of listeners) listener()
}

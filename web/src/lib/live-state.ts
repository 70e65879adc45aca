// State of the live-event stream.
import { useSyncExternalStore } from 'react'

/** `lost` while reconnecting. */
export type LiveState = 'connecting' | 'live' | 'lost'

let state: LiveState = 'connecting'
const listeners = new Set<() => void>()

export const liveState = {
  current: () => state,
  set: (next: LiveState) => {
    if (next === state) return
    state = next
    for (const listener of listeners) listener()
  },
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  },
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(liveState.subscribe, liveState.current)
}

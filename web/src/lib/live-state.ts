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

const FALLBACK_POLL_MS = 15_000

/** `refetchInterval` of a query that live events refresh: it polls only while the stream is down. */
export function useFallbackPoll(): number | false {
  return useLiveState() === 'live' ? false : FALLBACK_POLL_MS
}

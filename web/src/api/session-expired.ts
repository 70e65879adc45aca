// Says that the server no longer knows the session while a screen is open, so that one may sign in again in place.
let isExpired = false
const listeners = new Set<() => void>()

function set(next: boolean): void {
  if (next === isExpired) return
  isExpired = next
  for (const listener of listeners) listener()
}

export const sessionExpired = {
  report: () => set(true),
  clear: () => set(false),
  current: () => isExpired,
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  },
}

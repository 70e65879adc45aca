// Signal that the server ended the session while a screen is open.
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

// Reauthentication prompt shared by all requests that wait for it.
type ReauthListener = (isProved: boolean) => void

let pendingListeners: ReauthListener[] = []
const listeners = new Set<() => void>()
/** Mounted layouts that show the dialog. They subscribe a moment later. */
let hostCount = 0

function notifyListeners(): void {
  for (const listener of listeners) listener()
}

export const reauthPrompt = {
  /** True once reauthenticated, false when cancelled. Cancelled at once where no dialog is mounted. */
  ask: (): Promise<boolean> =>
    new Promise((resolve) => {
      if (listeners.size === 0 && hostCount === 0) {
        resolve(false)
        return
      }
      pendingListeners = [...pendingListeners, resolve]
      notifyListeners()
    }),
  resolve: (isProved: boolean): void => {
    const settled = pendingListeners
    pendingListeners = []
    notifyListeners()
    for (const answer of settled) answer(isProved)
  },
  isAsked: (): boolean => pendingListeners.length > 0,
  /** From now on questions wait, also before the dialog listens. Returns the removal. */
  addHost: () => {
    hostCount += 1
    return () => {
      hostCount -= 1
    }
  },
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  },
}

// Asks the person in front of the screen to prove who they are, once for however many deeds wait for it.
type Answer = (isProved: boolean) => void

let waiting: Answer[] = []
const listeners = new Set<() => void>()

function tell(): void {
  for (const listener of listeners) listener()
}

export const proof = {
  /** Resolves once they have proved it, or have let it be. Where nothing shows the question, it is let be at once. */
  ask: (): Promise<boolean> =>
    new Promise((resolve) => {
      if (listeners.size === 0) {
        resolve(false)
        return
      }
      waiting = [...waiting, resolve]
      tell()
    }),
  settle: (isProved: boolean): void => {
    const asked = waiting
    waiting = []
    tell()
    for (const answer of asked) answer(isProved)
  },
  isAsked: (): boolean => waiting.length > 0,
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  },
}

// Whether a media query holds, for screens whose markup differs and not only its look.
import { useCallback, useSyncExternalStore } from 'react'

/** True while the media query holds; `otherwise` where the browser cannot say. */
export function useMedia(query: string, otherwise: boolean): boolean {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const list = globalThis.matchMedia?.(query)
      list?.addEventListener('change', onChange)
      return () => list?.removeEventListener('change', onChange)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => globalThis.matchMedia?.(query).matches ?? otherwise)
}

// What the server is asked for while a paper is typed: not at each keystroke, and not for what is incomplete.
import { useMemo } from 'react'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useOnline } from '@/lib/hooks/use-online'

const ASK_AFTER_MS = 500

/** The request once the typing pauses; undefined while it goes on, while there is none, and without a connection. */
export function useAskable<T>(request: T | undefined): T | undefined {
  const isOnline = useOnline()
  const text = request === undefined ? '' : JSON.stringify(request)
  const settled = useDebounced(text, ASK_AFTER_MS)
  return useMemo(
    () => (settled === '' || settled !== text || !isOnline ? undefined : (JSON.parse(settled) as T)),
    [settled, text, isOnline],
  )
}

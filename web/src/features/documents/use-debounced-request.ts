// Debounced preview request, only when complete and online.
import { useMemo } from 'react'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useOnline } from '@/lib/hooks/use-online'

const DEBOUNCE_MS = 500

/** The request once the typing pauses; undefined while it goes on, while there is none, and without a connection. */
export function useDebouncedRequest<T>(request: T | undefined): T | undefined {
  const isOnline = useOnline()
  const text = request === undefined ? '' : JSON.stringify(request)
  const settled = useDebounced(text, DEBOUNCE_MS)
  return useMemo(
    () => (settled === '' || settled !== text || !isOnline ? undefined : (JSON.parse(settled) as T)),
    [settled, text, isOnline],
  )
}

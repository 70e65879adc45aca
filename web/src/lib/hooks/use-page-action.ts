// What a link asks of a page: `?do=schedule` opens the dialog, `?do=answer` goes to the reply box.
import { useCallback } from 'react'
import { useSearchParams } from 'react-router-dom'

const PAGE_ACTIONS = ['answer', 'schedule', 'estimate', 'collect', 'assign', 'invoice', 'photos', 'erase'] as const
export type PageAction = (typeof PAGE_ACTIONS)[number]

/** The action asked for, and its change; `undefined` once it is done. */
export function usePageAction(): readonly [PageAction | undefined, (next: PageAction | undefined) => void] {
  const [search, setSearch] = useSearchParams()
  const asked = search.get('do')
  const change = useCallback(
    (next: PageAction | undefined) =>
      setSearch(
        (before) => {
          if (next === undefined) before.delete('do')
          else before.set('do', next)
          return before
        },
        { replace: true },
      ),
    [setSearch],
  )
  return [PAGE_ACTIONS.find((action) => action === asked), change]
}

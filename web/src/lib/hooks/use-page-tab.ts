// Tab of a page, kept in the URL as `?tab=`.
import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'

type PageTab<Name extends string> = {
  current: Name
  /** Tabs shown so far. They stay mounted: what was typed there is kept. */ opened: ReadonlySet<Name>
  open: (name: Name) => void
}

/** `implied`: the tab of the action that the URL asks for. Opening a tab drops the action. */
export function usePageTab<Name extends string>(
  names: readonly Name[],
  otherwise: Name,
  implied?: Name | undefined,
): PageTab<Name> {
  const [search, setSearch] = useSearchParams()
  const asked = implied ?? search.get('tab')
  const current = names.find((name) => name === asked) ?? otherwise
  const [opened, setOpened] = useState<ReadonlySet<Name>>(() => new Set([current]))
  if (!opened.has(current)) setOpened(new Set([...opened, current]))
  const open = (name: Name) =>
    setSearch(
      (before) => {
        before.set('tab', name)
        before.delete('do')
        return before
      },
      { replace: true },
    )
  return { current, opened, open }
}

// Tab of a page, kept in the URL as `?tab=`.
import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'

type PageTab<Name extends string> = {
  current: Name
  /** Tabs shown so far. They stay mounted: what was typed there is kept. */ opened: ReadonlySet<Name>
  open: (name: Name) => void
}

/**
 * `implied` is the tab of the action that the URL asks for. It stays open when the action is done, until another tab
 * is opened.
 */
export function usePageTab<Name extends string>(
  names: readonly Name[],
  otherwise: Name,
  implied?: Name,
): PageTab<Name> {
  const [search, setSearch] = useSearchParams()
  const [followed, setFollowed] = useState<{ implied: Name | undefined; tab: Name | undefined }>({
    implied,
    tab: implied,
  })
  if (followed.implied !== implied) setFollowed({ implied, tab: implied ?? followed.tab })
  const asked = followed.tab ?? search.get('tab')
  const current = names.find((name) => name === asked) ?? otherwise
  const [opened, setOpened] = useState<ReadonlySet<Name>>(() => new Set([current]))
  if (!opened.has(current)) setOpened(new Set([...opened, current]))
  const open = (name: Name) => {
    setFollowed({ implied, tab: undefined })
    setSearch(
      (before) => {
        before.set('tab', name)
        before.delete('do')
        return before
      },
      { replace: true },
    )
  }
  return { current, opened, open }
}

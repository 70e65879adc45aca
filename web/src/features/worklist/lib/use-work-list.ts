import { useInfiniteQuery, useMutationState } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useCurrentUser } from '@/features/session/use-session'
import type { QueryLike } from '@/ui/query-boundary'
import { isWorkMark, markKey } from '../mutations'
import { worklistQueries } from '../queries'
import type { WorkAssignee, WorkItem, WorkView } from '../types'
import { usePendingMarks, withPendingAssignee } from './pending-marks'

export type WorkRows = { items: WorkItem[]; total: number }
export type WorkListState = {
  query: QueryLike<WorkRows>
  hasMore: boolean
  isLoadingMore: boolean
  loadMore: () => void
}

/** Keys of the items whose mark is on its way: they are off the list until the server refuses. */
function useMarkedKeys(orgId: string): readonly string[] {
  return useMutationState({
    filters: { mutationKey: markKey(orgId), status: 'pending' },
    select: ({ state: { variables } }) => (isWorkMark(variables) ? variables.item.key : ''),
  })
}

export function useWorkList(view: WorkView, assignee: WorkAssignee): WorkListState {
  const { orgId } = useCurrentUser()
  const list = useInfiniteQuery(worklistQueries.list(orgId, view, assignee))
  const markedKeys = useMarkedKeys(orgId)
  const pending = usePendingMarks()
  const data = useMemo(() => {
    if (!list.data) return undefined
    const marked = new Set(view === 'next' ? [...markedKeys, ...pending.hiddenKeys] : [])
    // One that moves between two pages would be there twice.
    const byKey = new Map<string, WorkItem>()
    for (const item of list.data.pages.flatMap(({ items }) => items))
      if (!byKey.has(item.key)) byKey.set(item.key, item)
    const items = [...byKey.values()]
      .filter(({ key }) => !marked.has(key))
      .map((item) => withPendingAssignee(item, pending))
    const total = (list.data.pages[0]?.total ?? 0) - (byKey.size - items.length)
    return { items, total: Math.max(items.length, total) }
  }, [list.data, markedKeys, pending, view])
  const { error, isFetching, dataUpdatedAt, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = list
  return {
    query: { data, error, isFetching, dataUpdatedAt, refetch: () => void refetch() },
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore: () => void fetchNextPage(),
  }
}

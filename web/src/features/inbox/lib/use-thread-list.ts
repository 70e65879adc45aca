import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { QueryLike } from '@/ui/query-boundary'
import { inboxQueries } from '../queries'
import type { Thread, ThreadFilter } from '../types'

export type ThreadRows = { threads: Thread[]; total: number }
export type ThreadListState = {
  query: QueryLike<ThreadRows>
  hasMore: boolean
  isLoadingMore: boolean
  loadMore: () => void
}

/** The org's conversations, newest first. */
export function useThreadList(orgId: string, filter: ThreadFilter, q: string): ThreadListState {
  const list = useInfiniteQuery(inboxQueries.list(orgId, filter, q))
  const data = useMemo(() => {
    if (!list.data) return undefined
    // One that moves to the top between two pages would stand twice.
    const byId = new Map<string, Thread>()
    for (const thread of list.data.pages.flatMap(({ threads }) => threads))
      if (!byId.has(thread.customerId)) byId.set(thread.customerId, thread)
    return { threads: [...byId.values()], total: list.data.pages[0]?.total ?? 0 }
  }, [list.data])
  const { error, isFetching, dataUpdatedAt, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = list
  return {
    query: { data, error, isFetching, dataUpdatedAt, refetch: () => void refetch() },
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore: () => void fetchNextPage(),
  }
}

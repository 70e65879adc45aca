// Changes of the fetched lists.
import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import { type WorkPage, worklistQueries } from '../queries'
import type { WorkCount, WorkItem } from '../types'

type Lists = InfiniteData<WorkPage, string | null>

type ListChange = (data: Lists | undefined) => Lists | undefined

export function changeLists(client: QueryClient, orgId: string, change: ListChange): void {
  client.setQueriesData<Lists>({ queryKey: worklistQueries.view(orgId, 'next') }, change)
}

export function withoutItem(data: Lists | undefined, key: string): Lists | undefined {
  if (!data?.pages.some(({ items }) => items.some((item) => item.key === key))) return data
  return {
    ...data,
    pages: data.pages.map((page) => ({
      ...page,
      items: page.items.filter((item) => item.key !== key),
      total: Math.max(0, page.total - 1),
    })),
  }
}

export function withAssignee(data: Lists | undefined, key: string, assignee: WorkItem['assignee']): Lists | undefined {
  return (
    data && {
      ...data,
      pages: data.pages.map((page) => ({
        ...page,
        items: page.items.map((item) => (item.key === key ? { ...item, assignee: assignee ?? null } : item)),
      })),
    }
  )
}

/** Without those whose mark waits on this device. */
export function withoutMarked(count: WorkCount, marked: number): WorkCount {
  if (marked === 0 || count.isCapped) return count
  const waiting = Math.max(0, count.waiting - marked)
  return { ...count, waiting, late: Math.min(count.late, waiting) }
}

/** A capped number says nothing that one more or less would change. */
export function changeCount(count: WorkCount | undefined, by: 1 | -1): WorkCount | undefined {
  return count && !count.isCapped ? { ...count, waiting: Math.max(0, count.waiting + by) } : count
}

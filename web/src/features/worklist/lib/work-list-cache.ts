// Changes of the fetched lists.
import type { InfiniteData } from '@tanstack/react-query'
import type { WorkPage } from '../queries'
import type { WorkCount, WorkItem } from '../types'

type Lists = InfiniteData<WorkPage, string | null>

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

/** A capped number says nothing that one more or less would change. */
export function changeCount(count: WorkCount | undefined, by: 1 | -1): WorkCount | undefined {
  return count && !count.isCapped ? { ...count, waiting: Math.max(0, count.waiting + by) } : count
}

// Job list: loaded rows at once and offline, then the server's answer.
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { NetworkError } from '@/api/client'
import type { ListTotal } from '@/lib/list-total'
import type { QueryLike } from '@/ui/query-boundary'
import { hasJobFilters, type JobFilters, type JobPage, jobQueries, NO_JOB_FILTERS } from '../queries'
import type { JobSummary } from '../types'
import { matchesFilters } from './matches-filters'

export type JobRows = ListTotal & { jobs: JobSummary[] }

export type JobList = {
  query: QueryLike<JobRows>
  /** Shows the device's copy until the response for these filters. */
  isLocal: boolean
  hasMore: boolean
  isLoadingMore: boolean
  loadMore: () => void
}

function toRows(pages: readonly JobPage[]): JobRows {
  // A new job between two fetches shifts the pages: duplicates are dropped.
  const byId = new Map(pages.flatMap((page) => page.jobs).map((job) => [job.id, job]))
  const { jobs: _first, cursor: _next, ...totals } = pages[0] ?? { jobs: [], cursor: null, total: 0 }
  return { jobs: [...byId.values()], ...totals }
}

export function useJobList(orgId: string, filters: JobFilters): JobList {
  const isNarrowed = hasJobFilters(filters)
  const all = useInfiniteQuery(jobQueries.list(orgId, NO_JOB_FILTERS))
  const found = useInfiniteQuery({ ...jobQueries.list(orgId, filters), enabled: isNarrowed })
  const allRows = useMemo(() => all.data && toRows(all.data.pages), [all.data])
  const foundRows = useMemo(() => found.data && toRows(found.data.pages), [found.data])
  const localRows = useMemo(() => {
    // When a job was done only the server knows.
    const jobs = filters.done ? undefined : allRows?.jobs.filter((job) => matchesFilters(job, filters))
    return jobs && { jobs, total: jobs.length }
  }, [allRows, filters])

  const source = isNarrowed ? found : all
  const isLocal =
    isNarrowed &&
    !foundRows &&
    localRows !== undefined &&
    (found.error instanceof NetworkError || localRows.jobs.length > 0)
  return {
    query: {
      data: isNarrowed ? (foundRows ?? (isLocal ? localRows : undefined)) : allRows,
      error: source.error,
      isFetching: source.isFetching,
      dataUpdatedAt: isLocal ? all.dataUpdatedAt : source.dataUpdatedAt,
      refetch: () => void source.refetch(),
    },
    isLocal,
    hasMore: !isLocal && source.hasNextPage,
    isLoadingMore: source.isFetchingNextPage,
    loadMore: () => void source.fetchNextPage(),
  }
}

import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useCurrentUser } from '@/features/session/use-session'
import type { QueryLike } from '@/ui/query-boundary'
import { inboxQueries } from '../queries'
import type { ConversationPage } from '../types'
import { mergeConversationPages } from './timeline'

export type ConversationState = {
  query: QueryLike<ConversationPage>
  hasEarlier: boolean
  isLoadingEarlier: boolean
  loadEarlier: () => void
}

export function useConversation(customerId: string): ConversationState {
  const { orgId } = useCurrentUser()
  const conversation = useInfiniteQuery(inboxQueries.conversation(orgId, customerId))
  const pages = conversation.data?.pages
  const data = useMemo(() => {
    const [newest] = pages ?? []
    return newest && pages && { ...newest, items: mergeConversationPages(pages) }
  }, [pages])
  const { error, isFetching, dataUpdatedAt, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = conversation
  return {
    query: { data, error, isFetching, dataUpdatedAt, refetch: () => void refetch() },
    hasEarlier: hasNextPage,
    isLoadingEarlier: isFetchingNextPage,
    loadEarlier: () => void fetchNextPage(),
  }
}

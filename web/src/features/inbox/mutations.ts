import { type InfiniteData, type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { ApiError, api, unwrap } from '@/api/client'
import type { ErrorText } from '@/api/errors'
import { describeResend, resendMessage } from '@/api/resend-message'
import { useCurrentUser } from '@/features/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { inboxMessages } from './messages'
import { inboxQueries } from './queries'
import type { ConversationPage, Message, NewMessage, ThreadChange } from './types'

function replaceMessage(data: InfiniteData<ConversationPage> | undefined, message: Message) {
  const [newest, ...earlier] = data?.pages ?? []
  if (!data || !newest) return data
  const others = newest.items.filter((item) => item.type !== 'message' || item.message.id !== message.id)
  return {
    ...data,
    pages: [
      { ...newest, items: [...others, { type: 'message' as const, at: message.createdAt, message, photos: [] }] },
      ...earlier,
    ],
  }
}

/** Puts a message into its conversation. */
export function cacheMessage(client: QueryClient, orgId: string, customerId: string, message: Message): void {
  client.setQueryData(inboxQueries.conversation(orgId, customerId).queryKey, (data) => replaceMessage(data, message))
}

/** Queries to refresh after a message: the lists, this conversation, and the lead's page. */
function useInvalidateConversation(customerId: string) {
  const { orgId } = useCurrentUser()
  return [
    inboxQueries.lists(orgId),
    inboxQueries.conversation(orgId, customerId).queryKey,
    ['org', orgId, 'leads', 'detail'],
  ] as const
}

/** Hands a message over; the same key never makes two of it. The conversation itself says when that fails. */
export function useSendMessage(customerId: string) {
  const client = useQueryClient()
  const { orgId } = useCurrentUser()
  const [lists, conversation, leads] = useInvalidateConversation(customerId)
  return useMutation({
    mutationFn: ({ key, request }: { key: string; request: NewMessage }) =>
      unwrap(
        api.POST('/api/customers/{id}/messages', {
          params: { path: { id: customerId }, header: { 'Idempotency-Key': key } },
          body: request,
        }),
      ),
    meta: { failure: false, invalidates: [lists, leads] },
    onSuccess: (message, { request }) => {
      cacheMessage(client, orgId, customerId, message)
      if (request.byHand) toast.success(inboxMessages.byHand.success.title, inboxMessages.byHand.success.description)
    },
    // Refetched after success and failure; not awaited, because the message is shown already.
    onSettled: () => void client.invalidateQueries({ queryKey: conversation }),
  })
}

/** Only the server knows that it has left. */
function describeCancelFailure(error: Error): ErrorText {
  const { tooLate, failure } = inboxMessages.cancel
  return error instanceof ApiError && error.reason === 'message_already_left' ? tooLate : failure
}

/** Stops a message that has not left. */
export function useCancelMessage(customerId: string) {
  const invalidates = useInvalidateConversation(customerId)
  return useMutation({
    mutationFn: (id: string) => unwrap(api.DELETE('/api/messages/{id}', { params: { path: { id } } })),
    meta: { success: inboxMessages.cancel.success, failure: describeCancelFailure, invalidates },
  })
}

/** Sends a message once more because a person says so. */
export function useResendMessage(customerId: string) {
  const invalidates = useInvalidateConversation(customerId)
  return useMutation({
    mutationFn: resendMessage,
    onSuccess: (result) => {
      const { success: leaves, heldTitle } = inboxMessages.retry
      const text = describeResend(result, { leaves, heldTitle })
      if (text) toast.show(text.title, { description: text.description, ...(text.isHeld ? { variant: 'info' } : {}) })
    },
    meta: { failure: inboxMessages.retry.failure, invalidates },
  })
}

/** Changes owner, snooze, closed state and customer of the conversation. */
export function useChangeThread(customerId: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (change: ThreadChange) =>
      unwrap(api.PATCH('/api/customers/{id}/thread', { params: { path: { id: customerId } }, body: change })),
    meta: {
      failure: inboxMessages.thread.failure,
      invalidates: [inboxQueries.lists(orgId), inboxQueries.conversation(orgId, customerId).queryKey],
    },
    onSuccess: (_thread, change) => {
      const { snoozed, closed, blocked } = inboxMessages.thread
      const toastText = change.snoozedUntil
        ? snoozed
        : change.isClosed
          ? closed
          : change.isBlocked
            ? blocked
            : undefined
      if (toastText) toast.success(toastText.title, toastText.description)
    },
  })
}

/** Confirms that they want no texts, or lifts the pause or what the business itself decided. */
export function useOptOut(customerId: string, lifted: 'lifted' | 'allowed' = 'lifted') {
  const invalidates = useInvalidateConversation(customerId)
  return useMutation({
    mutationFn: (state: 'stopped' | 'lifted') =>
      unwrap(api.POST('/api/customers/{id}/opt-out', { params: { path: { id: customerId } }, body: { state } })),
    meta: { failure: inboxMessages.optOut.failure, invalidates },
    onSuccess: (_answer, state) => {
      const { title, description } = inboxMessages.optOut[state === 'lifted' ? lifted : state]
      toast.success(title, description)
    },
  })
}

/** Marks received messages as seen while the page is visible. */
export function useMarkRead(customerId: string, unread: number): void {
  const { orgId } = useCurrentUser()
  const { mutate } = useMutation({
    mutationFn: () => unwrap(api.POST('/api/customers/{id}/read', { params: { path: { id: customerId } } })),
    // No error toast for an automatic request: the badge stays, and the next view retries.
    meta: {
      failure: false,
      isUnasked: true,
      invalidates: [inboxQueries.lists(orgId), inboxQueries.conversation(orgId, customerId).queryKey],
    },
  })
  const lastReported = useRef(0)
  useEffect(() => {
    if (unread === 0) lastReported.current = 0
    const tell = () => {
      if (unread === lastReported.current || unread === 0 || document.visibilityState === 'hidden') return
      lastReported.current = unread
      mutate()
    }
    tell()
    document.addEventListener('visibilitychange', tell)
    return () => document.removeEventListener('visibilitychange', tell)
  }, [unread, mutate])
}

export function useAddCannedReply() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (reply: { title: string; body: string }) => unwrap(api.POST('/api/canned-replies', { body: reply })),
    meta: {
      success: inboxMessages.canned.added,
      failure: false,
      invalidates: [inboxQueries.cannedReplies(orgId).queryKey],
    },
  })
}

export function useRemoveCannedReply() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.DELETE('/api/canned-replies/{id}', { params: { path: { id } } })),
    meta: {
      success: inboxMessages.canned.removed,
      failure: inboxMessages.canned.failure,
      invalidates: [inboxQueries.cannedReplies(orgId).queryKey],
    },
  })
}

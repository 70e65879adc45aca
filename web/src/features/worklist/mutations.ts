// Marks of the worklist: shown at once, taken back where the server refuses.
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { api, ApiError, unwrap } from '@/api/client'
import { describeError, type ErrorText } from '@/api/errors'
import { leadsKey, worklistKey } from '@/domain/query-keys'
import { useCurrentUser } from '@/features/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { changeCount, withAssignee, withoutItem } from './lib/work-list-cache'
import { worklistMessages as texts } from './messages'
import { type WorkPage, worklistQueries } from './queries'
import type { InfiniteData } from '@tanstack/react-query'
import type { WorkAssignment, WorkItem, WorkMark } from './types'

export const UNDO_MS = 10_000

export const markKey = (orgId: string) => [...worklistKey(orgId), 'mark'] as const

export function isWorkMark(variables: unknown): variables is WorkMark {
  return typeof variables === 'object' && variables !== null && 'item' in variables && 'as' in variables
}

/** The server's words, those about the chosen time first. */
function describeFailure(error: Error, text: ErrorText): ErrorText {
  const aboutTime = error instanceof ApiError ? error.errors['until'] : undefined
  return { title: text.title, description: aboutTime ?? describeError(error, text).description }
}

function sendMark(mark: WorkMark): Promise<unknown> {
  const { key, since } = mark.item
  const params = { path: { key } }
  return mark.as === 'done'
    ? unwrap(api.POST('/api/worklist/{key}/done', { params, body: { since } }))
    : unwrap(api.POST('/api/worklist/{key}/snooze', { params, body: { since, until: mark.until } }))
}

type Lists = InfiniteData<WorkPage, string | null>

const changeLists = (client: QueryClient, orgId: string, change: (data: Lists | undefined) => Lists | undefined) =>
  client.setQueriesData<Lists>({ queryKey: worklistQueries.view(orgId, 'next') }, change)

/** Marks as done or snoozed. `onMarked` gets what may be undone. */
function useMark(onMarked: (mark: WorkMark) => void) {
  const client = useQueryClient()
  const { orgId } = useCurrentUser()
  const mutationKey = markKey(orgId)
  const count = (by: 1 | -1) =>
    client.setQueryData(worklistQueries.count(orgId).queryKey, (known) => changeCount(known, by))
  return useMutation({
    mutationKey,
    mutationFn: sendMark,
    onMutate: async () => {
      count(-1)
      // An answer that left before the mark would bring the item back.
      await client.cancelQueries({ queryKey: worklistQueries.lists(orgId) })
    },
    onSuccess: (_nothing, mark) => {
      changeLists(client, orgId, (data) => withoutItem(data, mark.item.key))
      onMarked(mark)
    },
    onError: () => void count(1),
    onSettled: () => {
      // Once for several marks in a row.
      if (client.isMutating({ mutationKey }) === 1) void client.invalidateQueries({ queryKey: worklistKey(orgId) })
    },
    meta: { failure: (error) => describeFailure(error, texts.notMarked), failureIsFixed: true },
  })
}

/** Takes back the last mark of an item. */
function useUndoMark() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: ({ key }: WorkItem) => unwrap(api.POST('/api/worklist/{key}/undo', { params: { path: { key } } })),
    meta: { ...texts.undone, invalidates: [worklistKey(orgId)] },
  })
}

/** Gives an item to a member, or to nobody. A lead's owner changes with it. */
function useAssign() {
  const client = useQueryClient()
  const { orgId } = useCurrentUser()
  const show = (item: WorkItem, assignee: WorkItem['assignee']) =>
    changeLists(client, orgId, (data) => withAssignee(data, item.key, assignee))
  return useMutation({
    mutationFn: ({ item: { key }, to }: WorkAssignment) =>
      unwrap(
        api.POST('/api/worklist/{key}/assign', { params: { path: { key } }, body: { accountId: to?.id ?? null } }),
      ),
    onMutate: async ({ item, to }) => {
      await client.cancelQueries({ queryKey: worklistQueries.lists(orgId) })
      show(item, to)
    },
    onError: (_error, { item }) => void show(item, item.assignee),
    onSettled: () => void client.invalidateQueries({ queryKey: worklistKey(orgId) }),
    meta: {
      failure: (error) => describeFailure(error, texts.assigned.failure),
      failureIsFixed: true,
      invalidates: [leadsKey(orgId)],
    },
  })
}

export type WorkMarks = {
  done: (item: WorkItem) => void
  snooze: (item: WorkItem, until: string) => void
  assign: (item: WorkItem, to: WorkAssignment['to']) => void
  undo: (item: WorkItem) => void
  /** Of the last mark of this screen, where there is one. */
  undoLast: () => void
}

/** Without a connection nothing is marked. */
export function isConnected(): boolean {
  if (navigator.onLine) return true
  toast.show(texts.offline.title, { description: texts.offline.description, variant: 'info' })
  return false
}

export function useWorkMarks(): WorkMarks {
  const last = useRef<WorkItem>(undefined)
  const { mutate: takeBack } = useUndoMark()
  const { mutate: give } = useAssign()
  const undo = (item: WorkItem) => {
    if (!isConnected()) return
    if (last.current?.key === item.key) last.current = undefined
    takeBack(item)
  }
  const { mutate: mark } = useMark(({ item, as }) => {
    last.current = item
    toast.show(texts.marked[as], {
      durationMs: UNDO_MS,
      action: { label: 'Undo', onAction: () => undo(item) },
    })
  })
  return {
    done: (item) => isConnected() && mark({ item, as: 'done' }),
    snooze: (item, until) => isConnected() && mark({ item, as: 'snoozed', until }),
    assign: (item, to) => isConnected() && give({ item, to }),
    undo,
    undoLast: () => last.current && undo(last.current),
  }
}

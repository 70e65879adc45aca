// Marks of the worklist: shown at once, taken back where the server refuses. Without a connection they are queued.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { api, ApiError, unwrap } from '@/api/client'
import { describeError, type ErrorText } from '@/api/errors'
import { leadsKey, worklistKey } from '@/domain/query-keys'
import { useCurrentUser } from '@/features/session/use-session'
import { isDemoMode } from '@/lib/demo'
import { t } from '@/lib/i18n'
import type { EnqueuedCommand } from '@/offline/outbox/outbox'
import { runOrQueue } from '@/offline/outbox/queue-command'
import { showQueuedToast } from '@/offline/outbox/queued-line'
import { toast } from '@/ui/toast/toast-store'
import { getName } from './lib/describe-item'
import { changeCount, changeLists, withAssignee, withoutItem } from './lib/work-list-cache'
import { worklistMessages as texts } from './messages'
import { worklistQueries } from './queries'
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

async function sendMark(mark: WorkMark): Promise<'sent'> {
  const { key, since } = mark.item
  const params = { path: { key } }
  await (mark.as === 'done'
    ? unwrap(api.POST('/api/worklist/{key}/done', { params, body: { since } }))
    : unwrap(api.POST('/api/worklist/{key}/snooze', { params, body: { since, until: mark.until } })))
  return 'sent'
}

async function sendAssignment({ item: { key }, to }: WorkAssignment): Promise<'sent'> {
  const body = { accountId: to?.id ?? null }
  await unwrap(api.POST('/api/worklist/{key}/assign', { params: { path: { key } }, body }))
  return 'sent'
}

const toCommand = (item: WorkItem, command: EnqueuedCommand['command']): EnqueuedCommand => ({
  jobId: item.key,
  jobName: getName(item),
  command,
})

const toMarkCommand = (mark: WorkMark): EnqueuedCommand =>
  toCommand(
    mark.item,
    mark.as === 'done'
      ? { kind: 'work_done', since: mark.item.since }
      : { kind: 'work_snooze', since: mark.item.since, until: mark.until },
  )

/** Marks as done or snoozed. `onMarked` gets what may be undone. */
function useMark(onMarked: (mark: WorkMark) => void) {
  const client = useQueryClient()
  const { orgId } = useCurrentUser()
  const mutationKey = markKey(orgId)
  const count = (by: 1 | -1) =>
    client.setQueryData(worklistQueries.count(orgId).queryKey, (known) => changeCount(known, by))
  return useMutation({
    mutationKey,
    // A mark that arrives twice changes nothing the second time.
    mutationFn: (mark: WorkMark) => runOrQueue(() => sendMark(mark), toMarkCommand(mark)),
    onMutate: async () => {
      count(-1)
      // An answer that left before the mark would bring the item back.
      await client.cancelQueries({ queryKey: worklistQueries.lists(orgId) })
    },
    onSuccess: (sent, mark) => {
      if (!sent) {
        // The outbox takes it off the list, and counts it.
        count(1)
        return showQueuedToast()
      }
      changeLists(client, orgId, (data) => withoutItem(data, mark.item.key))
      onMarked(mark)
    },
    onError: () => void count(1),
    onSettled: (sent, error) => {
      // Once for several marks in a row.
      const isLast = client.isMutating({ mutationKey }) === 1
      if (isLast && (sent || error)) void client.invalidateQueries({ queryKey: worklistKey(orgId) })
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
    mutationFn: (assignment: WorkAssignment) =>
      runOrQueue(
        () => sendAssignment(assignment),
        toCommand(assignment.item, { kind: 'work_assign', to: assignment.to }),
      ),
    onMutate: async ({ item, to }) => {
      await client.cancelQueries({ queryKey: worklistQueries.lists(orgId) })
      const before = client.getQueriesData({ queryKey: worklistQueries.view(orgId, 'next') })
      show(item, to)
      return before
    },
    onSuccess: (sent, _assignment, before) => {
      if (sent) return
      // The outbox shows it.
      for (const [key, data] of before) client.setQueryData(key, data)
      showQueuedToast()
    },
    onError: (_error, { item }) => show(item, item.assignee),
    onSettled: (sent, error) => {
      if (sent || error) void client.invalidateQueries({ queryKey: worklistKey(orgId) })
    },
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

function isConnected(description: string): boolean {
  if (navigator.onLine) return true
  toast.show(texts.offline.title, { description, variant: 'info' })
  return false
}

/** Without a connection marks wait on this device. The demonstration keeps nothing there. */
export const canMark = (): boolean => !isDemoMode() || isConnected(texts.offline.description)

export function useWorkMarks(): WorkMarks {
  const last = useRef<WorkItem>(undefined)
  const { mutate: takeBack } = useUndoMark()
  const { mutate: give } = useAssign()
  const undo = (item: WorkItem) => {
    if (!isConnected(texts.offline.noUndo)) return
    if (last.current?.key === item.key) last.current = undefined
    takeBack(item)
  }
  const { mutate: mark } = useMark(({ item, as }) => {
    last.current = item
    toast.show(texts.marked[as], {
      durationMs: UNDO_MS,
      action: { label: t('Undo'), onAction: () => undo(item) },
    })
  })
  return {
    done: (item) => canMark() && mark({ item, as: 'done' }),
    snooze: (item, until) => canMark() && mark({ item, as: 'snoozed', until }),
    assign: (item, to) => canMark() && give({ item, to }),
    undo,
    undoLast: () => last.current && undo(last.current),
  }
}

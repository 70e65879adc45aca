// Outbox sync of staff screens, with toasts and cache updates.
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { customersKey, inboxKey, jobsKey, leadsKey, reviewsKey, worklistKey } from '@/domain/query-keys'
import { t } from '@/lib/i18n'
import { isOfficeCommand, type OutboxEntry } from '@/offline/outbox/entry'
import { describeHeldDelivery } from '@/domain/delivery-outlook'
import { startKeyLease } from '@/offline/key-lease'
import { outbox } from '@/offline/outbox/outbox'
import { sendOutboxNow, useOutboxSync } from '@/offline/outbox/use-outbox-sync'
import { useCurrentUser } from '@/features/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { jobsMessages } from '@/features/jobs/messages'
import { useUndoJobChange } from '@/features/jobs/mutations'
import type { JobDetail } from '@/features/jobs/types'
import { cacheCommandResult, getCustomerNotice } from './lib/cache-command-result'
import { crewMessages as texts } from './messages'

/** Several answers in a row are one refresh. */
const BATCH_DELAY_MS = 500

function showNoticeToast(answer: unknown): void {
  const notice = getCustomerNotice(answer)
  if (!notice) return
  const waits = describeHeldDelivery(notice.outlook)
  if (notice.sent && waits !== '') toast.error(texts.notToldYet, `${waits} ${texts.notTold.otherwise}`)
  else if (notice.sent) toast.success(texts.told.title, texts.told.description)
  else toast.error(texts.notTold.title, notice.reason ?? texts.notTold.otherwise)
}

/** The outbox can be read again. */
const reloadOutbox = () => void outbox.reload().then(sendOutboxNow)
/** A reload drops the data in memory and cannot read the encrypted data. */
const closePage = () => globalThis.location.reload()

type Undo = (eventId: string) => void

/** Shorter than the undo minute, because it covers targets; the job's page offers undo for the whole time. */
const TOAST_DURATION_MS = 10_000

/** Toast with undo, because the day already shows the next job. Other steps stay visible. */
function showDoneToast({ command, jobName }: OutboxEntry, answer: unknown, undo: Undo): void {
  const eventId = (answer as Partial<JobDetail> | undefined)?.undo?.eventId
  if (command.kind !== 'status' || command.to !== 'completed' || !eventId) return
  toast.show(jobsMessages.status.done, {
    description: jobName,
    durationMs: TOAST_DURATION_MS,
    action: { label: t('Undo'), onAction: () => undo(eventId) },
  })
}

function invalidateJobQueries(client: QueryClient, orgId: string): void {
  void client.invalidateQueries({ queryKey: jobsKey(orgId) })
  void client.invalidateQueries({ queryKey: leadsKey(orgId) })
}

/** Commands of the office change these too. */
function invalidateOfficeQueries(client: QueryClient, orgId: string): void {
  for (const queryKey of [inboxKey(orgId), customersKey(orgId), reviewsKey(orgId), worklistKey(orgId)])
    void client.invalidateQueries({ queryKey })
}

export function Component() {
  const { id, orgId, role, orgTimezone: timeZone } = useCurrentUser()
  const client = useQueryClient()
  const onNews = useCallback(() => {
    invalidateJobQueries(client, orgId)
    if (role !== 'crew') invalidateOfficeQueries(client, orgId)
  }, [client, orgId, role])
  useOutboxSync(`${orgId}:${id}`, onNews)
  useEffect(() => startKeyLease(`${orgId}:${id}`, reloadOutbox, closePage), [orgId, id])
  const { mutate: undo } = useUndoJobChange()

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOfficeChanged = false
    const stop = outbox.onSent((entry: OutboxEntry, answer) => {
      cacheCommandResult(client, { orgId, timeZone }, entry, answer)
      if (entry.command.kind === 'on_my_way' || entry.command.kind === 'late') showNoticeToast(answer)
      showDoneToast(entry, answer, undo)
      isOfficeChanged ||= isOfficeCommand(entry.command)
      clearTimeout(timer)
      timer = setTimeout(() => {
        invalidateJobQueries(client, orgId)
        if (isOfficeChanged) invalidateOfficeQueries(client, orgId)
        isOfficeChanged = false
      }, BATCH_DELAY_MS)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [client, orgId, timeZone, undo])
  return null
}

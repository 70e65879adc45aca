// Beside every staff screen: what was done on site goes to the server as soon as there is a way, and its answers are shown.
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { jobsKey, leadsKey } from '@/domain/query-keys'
import type { Entry } from '@/offline/outbox/entry'
import { waitingSentence } from '@/domain/outlook'
import { keepLease } from '@/offline/lease'
import { outbox } from '@/offline/outbox/outbox'
import { sendNow, useOutboxKeeper } from '@/offline/outbox/use-outbox-keeper'
import { useCurrentUser } from '@/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { jobsMessages } from '@/features/jobs/messages'
import { useUndo } from '@/features/jobs/mutations'
import type { JobDetail } from '@/features/jobs/types'
import { keepAnswer, toldOf } from './lib/keep-answer'
import { crewMessages as texts } from './messages'

/** Several answers in a row are one refresh. */
const GATHER_MS = 500

function sayTold(answer: unknown): void {
  const told = toldOf(answer)
  if (!told) return
  const waits = waitingSentence(told.outlook)
  if (told.sent && waits !== '') toast.error(texts.notToldYet, `${waits} ${texts.notTold.otherwise}`)
  else if (told.sent) toast.success(texts.told.title, texts.told.description)
  else toast.error(texts.notTold.title, told.reason ?? texts.notTold.otherwise)
}

/** The outbox can be read again. */
const unlocked = () => void outbox.reload().then(sendNow)
/** A page loaded anew has nothing in its memory, and finds nothing that it can read. */
const closePage = () => globalThis.location.reload()

type Undo = (eventId: string) => void

/** Not the whole minute: what can be tapped lies beneath, and the job's own page has the way back for as long. */
const SAID_MS = 10_000

/** Says what is done, with the way back, because the day shows the next job by now. Other steps stay in sight. */
function sayDone({ command, jobName }: Entry, answer: unknown, undo: Undo): void {
  const eventId = (answer as Partial<JobDetail>).undo?.eventId
  if (command.kind !== 'status' || command.to !== 'completed' || !eventId) return
  toast.show(jobsMessages.status.done, {
    description: jobName,
    durationMs: SAID_MS,
    action: { label: 'Undo', onAction: () => undo(eventId) },
  })
}

function refresh(client: QueryClient, orgId: string): void {
  void client.invalidateQueries({ queryKey: jobsKey(orgId) })
  void client.invalidateQueries({ queryKey: leadsKey(orgId) })
}

export function Component() {
  const { id, orgId, orgTimezone: timeZone } = useCurrentUser()
  const client = useQueryClient()
  const onNews = useCallback(() => refresh(client, orgId), [client, orgId])
  useOutboxKeeper(`${orgId}:${id}`, onNews)
  useEffect(() => keepLease(`${orgId}:${id}`, unlocked, closePage), [orgId, id])
  const { mutate: undo } = useUndo()

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = outbox.onSent((entry: Entry, answer) => {
      keepAnswer(client, { orgId, timeZone }, entry, answer)
      if (entry.command.kind === 'on_my_way' || entry.command.kind === 'late') sayTold(answer)
      sayDone(entry, answer, undo)
      clearTimeout(timer)
      timer = setTimeout(() => refresh(client, orgId), GATHER_MS)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [client, orgId, timeZone, undo])
  return null
}

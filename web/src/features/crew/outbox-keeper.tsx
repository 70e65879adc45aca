// Beside every staff screen: what was done on site goes to the server as soon as there is a way, and its answers are shown.
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { jobsKey, leadsKey } from '@/domain/query-keys'
import type { Entry } from '@/offline/outbox/entry'
import { outbox } from '@/offline/outbox/outbox'
import { useOutboxKeeper } from '@/offline/outbox/use-outbox-keeper'
import { useCurrentUser } from '@/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { keepAnswer, toldOf } from './lib/keep-answer'
import { crewMessages as texts } from './messages'

/** Several answers in a row are one refresh. */
const GATHER_MS = 500

function sayTold(answer: unknown): void {
  const told = toldOf(answer)
  if (!told) return
  if (told.sent) toast.success(texts.told.title, texts.told.description)
  else toast.error(texts.notTold.title, told.reason ?? texts.notTold.otherwise)
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

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = outbox.onSent((entry: Entry, answer) => {
      keepAnswer(client, { orgId, timeZone }, entry, answer)
      if (entry.command.kind === 'on_my_way' || entry.command.kind === 'late') sayTold(answer)
      clearTimeout(timer)
      timer = setTimeout(() => refresh(client, orgId), GATHER_MS)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [client, orgId, timeZone])
  return null
}

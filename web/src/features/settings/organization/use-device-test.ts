// A test alert and its answer: the device itself tells the server that it showed it.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useCurrentUser } from '@/session/use-session'
import { useTestDevice } from '../push-mutations'
import { settingsQueries } from '../queries'
import type { PushDevice } from '../types'

const LOOK_EVERY_MS = 1500
/** A phone that sleeps deeply may take longer; then the next look at this page tells. */
const PATIENCE_MS = 30_000

export type DeviceTest = { state: 'idle' | 'waiting' | 'seen' | 'silent'; start: () => void }

type Run = { seenBefore: PushDevice['seenAt']; isOver: boolean }

export function useDeviceTest({ id, seenAt }: PushDevice): DeviceTest {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  const send = useTestDevice()
  const [run, setRun] = useState<Run>()
  const isSeen = run !== undefined && Boolean(seenAt) && seenAt !== run.seenBefore
  const isWaiting = run !== undefined && !isSeen && !run.isOver && send.isSuccess

  useEffect(() => {
    if (!isWaiting) return
    const look = setInterval(
      () => void client.invalidateQueries({ queryKey: settingsQueries.devices(orgId).queryKey }),
      LOOK_EVERY_MS,
    )
    const end = setTimeout(() => setRun((known) => known && { ...known, isOver: true }), PATIENCE_MS)
    return () => {
      clearInterval(look)
      clearTimeout(end)
    }
  }, [client, isWaiting, orgId])

  const start = () => {
    setRun({ seenBefore: seenAt, isOver: false })
    send.mutate(id)
  }
  return { state: stateOf(run, isSeen, send.isPending || isWaiting), start }
}

function stateOf(run: Run | undefined, isSeen: boolean, isBusy: boolean): DeviceTest['state'] {
  if (isSeen) return 'seen'
  if (isBusy) return 'waiting'
  return run?.isOver ? 'silent' : 'idle'
}

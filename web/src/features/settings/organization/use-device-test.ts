// Test alert; the device reports to the server that it was shown.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useCurrentUser } from '@/features/session/use-session'
import { useTestDevice } from '../push-mutations'
import { settingsQueries } from '../queries'
import type { PushDevice } from '../types'

const POLL_INTERVAL_MS = 1500
/** A phone that sleeps deeply may take longer; then the next look at this page tells. */
const TIMEOUT_MS = 30_000

export type DeviceTest = { state: 'idle' | 'waiting' | 'seen' | 'silent'; start: () => void }

type TestRun = { seenBefore: PushDevice['seenAt']; isOver: boolean }

export function useDeviceTest({ id, seenAt }: PushDevice): DeviceTest {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  const send = useTestDevice()
  const [run, setRun] = useState<TestRun>()
  const isSeen = run !== undefined && Boolean(seenAt) && seenAt !== run.seenBefore
  const isWaiting = run !== undefined && !isSeen && !run.isOver && send.isSuccess

  useEffect(() => {
    if (!isWaiting) return
    const look = setInterval(
      () => void client.invalidateQueries({ queryKey: settingsQueries.devices(orgId).queryKey }),
      POLL_INTERVAL_MS,
    )
    const end = setTimeout(() => setRun((known) => known && { ...known, isOver: true }), TIMEOUT_MS)
    return () => {
      clearInterval(look)
      clearTimeout(end)
    }
  }, [client, isWaiting, orgId])

  const start = () => {
    setRun({ seenBefore: seenAt, isOver: false })
    send.mutate(id)
  }
  return { state: getTestState(run, isSeen, send.isPending || isWaiting), start }
}

function getTestState(run: TestRun | undefined, isSeen: boolean, isBusy: boolean): DeviceTest['state'] {
  if (isSeen) return 'seen'
  if (isBusy) return 'waiting'
  return run?.isOver ? 'silent' : 'idle'
}

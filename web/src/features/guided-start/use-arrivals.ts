// What arrived since the test began.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Schema } from '@/api/client'
import { formatPhone } from '@/lib/format/phone'
import { useFallbackPoll } from '@/lib/live-state'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { arrivalsQuery, newestLeadsQuery, newestThreadsQuery } from './test-queries'

const PATIENCE_MS = 60_000

export type Arrival = {
  hasArrived: boolean
  /** Nothing came within a minute. */
  isLate: boolean
  /** What is known of it: who, and their words. */
  detail?: string | undefined
  /** Where it is shown. */
  to?: string | undefined
}

type Thread = Schema['Thread']

function useIsLate(): boolean {
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  return isLate
}

/** The first value that was read, to compare later ones with: clocks of phone and server differ. */
function useFirst<T>(value: T | undefined): T | undefined {
  const [first, setFirst] = useState(value)
  if (first === undefined && value !== undefined) setFirst(value)
  return first
}

const lastReceived = (status: Schema['WebhookStatus'], name: string) =>
  status.twilio.addresses.find((address) => address.name === name)?.lastReceivedAt ?? null

const whoWrote = ({ name, phone }: Thread) => name || (phone ? formatPhone(phone) : '')

/** A call or text that a person outside the business made since. */
function findThread(now: readonly Thread[], before: readonly Thread[] | undefined, isCall: boolean) {
  if (!before) return undefined
  return now.find(
    (thread) =>
      (isCall ? thread.lastKind === 'call' : thread.lastKind === 'in') &&
      !before.some(({ customerId, lastAt }) => customerId === thread.customerId && lastAt === thread.lastAt),
  )
}

export function useCallArrival(): { call: Arrival; text: Arrival } {
  const { orgId } = useCurrentUser()
  const isLate = useIsLate()
  const refetchInterval = useFallbackPoll()
  const status = useQuery({ ...arrivalsQuery(orgId), refetchInterval })
  const threads = useQuery({ ...newestThreadsQuery(orgId), refetchInterval })
  const firstStatus = useFirst(status.data)
  const firstThreads = useFirst(threads.data)
  const [seen, setSeen] = useState<{ call?: Thread; text?: Thread }>({})
  const find = (isCall: boolean) => findThread(threads.data ?? [], firstThreads, isCall)
  const [call, text] = [seen.call ?? find(true), seen.text ?? find(false)]
  // The text back after a missed call takes the call's place in the list.
  if ((call && !seen.call) || (text && !seen.text)) setSeen({ ...(call ? { call } : {}), ...(text ? { text } : {}) })
  const isNew = (name: string) =>
    status.data !== undefined &&
    firstStatus !== undefined &&
    lastReceived(status.data, name) !== lastReceived(firstStatus, name)
  const build = (thread: Thread | undefined, name: string): Arrival => ({
    hasArrived: thread !== undefined || isNew(name),
    isLate,
    detail: thread && [whoWrote(thread), thread.lastPreview].filter(Boolean).join(': '),
    to: thread && paths.thread(thread.customerId),
  })
  return { call: build(call, 'Calls'), text: build(text, 'Texts') }
}

export function useRequestArrival(): Arrival {
  const { orgId } = useCurrentUser()
  const isLate = useIsLate()
  const leads = useQuery({ ...newestLeadsQuery(orgId), refetchInterval: useFallbackPoll() })
  const first = useFirst(leads.data)
  const lead = first && leads.data?.find(({ id }) => !first.some((known) => known.id === id))
  return { hasArrived: lead !== undefined, isLate, detail: lead?.name, to: lead && paths.lead(lead.id) }
}

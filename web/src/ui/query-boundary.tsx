// The five states of what is fetched: loading, empty, error, stale or offline, and the data itself.
import { type ReactNode, useEffect, useState } from 'react'
import { ApiError } from '@/api/client'
import { describeError, type ErrorText } from '@/api/errors'
import { formatAsOf } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { Button } from './button'
import { EmptyState } from './empty-state'
import { Icon } from './icon'
import { Spinner } from './spinner'

const SKELETON_AFTER_MS = 300

/** What is looked at of a query's result, paged or not. */
export type Fetched<T> = {
  data: T | undefined
  error: Error | null
  isFetching: boolean
  dataUpdatedAt: number
  refetch: () => unknown
}

type QueryBoundaryProps<T> = {
  query: Fetched<T>
  /** Same size as the data, shown once waiting is felt. */
  skeleton?: ReactNode
  isEmpty?: (data: T) => boolean
  empty?: ReactNode
  /** Title and sentence when the error itself has none. */
  errorText?: ErrorText
  /** Takes an error over, a 404 for instance; undefined leaves it to the boundary. */
  renderError?: (error: Error) => ReactNode
  timeZone?: string
  /** The screen itself says that there is no network, and how old what it shows is. */
  saysOffline?: boolean
  children: (data: T) => ReactNode
}

export function QueryBoundary<T>(props: QueryBoundaryProps<T>) {
  const { query, skeleton, isEmpty, empty, errorText, renderError, timeZone, saysOffline = false, children } = props
  if (query.data === undefined) {
    if (!query.error) return <Waiting skeleton={skeleton} />
    return (
      renderError?.(query.error) ?? (
        <LoadError
          error={query.error}
          text={errorText}
          isRetrying={query.isFetching}
          onRetry={() => void query.refetch()}
        />
      )
    )
  }
  const body = isEmpty?.(query.data) && empty ? empty : children(query.data)
  return (
    <>
      <StaleMark query={query} timeZone={timeZone} saysOffline={saysOffline} />
      {body}
    </>
  )
}

function Waiting({ skeleton }: { skeleton: ReactNode }) {
  const [isLong, setIsLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), SKELETON_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status" aria-label="Loading" className={isLong ? undefined : 'invisible'}>
      {skeleton ?? (
        <div className="grid place-items-center py-16">
          <Spinner size="large" />
        </div>
      )}
    </div>
  )
}

type LoadErrorProps = { error: Error; text: ErrorText | undefined; isRetrying: boolean; onRetry: () => void }

function LoadError({ error, text, isRetrying, onRetry }: LoadErrorProps) {
  const { title, description } = describeError(error, text)
  const requestId = error instanceof ApiError ? error.requestId : undefined
  return (
    <div role="alert">
      <EmptyState
        icon="alert"
        title={title}
        action={
          <Button variant="secondary" icon="refresh" pending={isRetrying} onClick={onRetry}>
            Try again
          </Button>
        }
      >
        <p>{description}</p>
        {requestId && <p className="mt-2 text-caption">Request {requestId}</p>}
      </EmptyState>
    </div>
  )
}

/** It was on the device before this page began: what is shown is the copy from there. */
const wasKept = (fetchedAt: number) => fetchedAt < performance.timeOrigin

type StaleMarkProps<T> = { query: Fetched<T>; timeZone: string | undefined; saysOffline: boolean }

function StaleMark<T>({ query, timeZone, saysOffline }: StaleMarkProps<T>) {
  const isOnline = useOnline()
  if (isOnline ? !query.error : saysOffline) return null
  return (
    <p role="status" className="mb-3 flex flex-wrap items-center gap-x-2 gap-y-1 text-note text-warning">
      <Icon name={isOnline ? 'alert' : 'offline'} className="size-4" />
      <span>
        {isOnline ? `Could not refresh${wasKept(query.dataUpdatedAt) ? ', offline copy' : ''}` : 'Offline copy'}
        {query.dataUpdatedAt > 0 && `, ${formatAsOf(query.dataUpdatedAt, timeZone)}`}
      </span>
      {isOnline && (
        <button
          type="button"
          className="btn btn-ghost btn-sm text-warning"
          disabled={query.isFetching}
          onClick={() => void query.refetch()}
        >
          Try again
        </button>
      )}
    </p>
  )
}

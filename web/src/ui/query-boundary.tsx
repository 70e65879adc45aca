// Query states: loading, empty, error, stale or offline, data.
import { type ReactNode, useEffect, useState } from 'react'
import { ApiError } from '@/api/client'
import { describeError, type ErrorText } from '@/api/errors'
import { formatAsOf } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { Button } from './button'
import { EmptyState } from './empty-state'
import { Icon } from './icon'
import { Spinner } from './spinner'

const SKELETON_DELAY_MS = 300

/** Query fields used here, paged or not. */
export type QueryLike<T> = {
  data: T | undefined
  error: Error | null
  isFetching: boolean
  dataUpdatedAt: number
  refetch: () => unknown
}

type QueryBoundaryProps<T> = {
  query: QueryLike<T>
  /** Same size as the data, shown after a delay. */
  skeleton?: ReactNode
  isEmpty?: (data: T) => boolean
  empty?: ReactNode
  /** Fallback of the error text. */
  errorText?: ErrorText
  /** Handles an error such as 404; undefined falls through. */
  renderError?: (error: Error) => ReactNode
  timeZone?: string
  /** The screen shows offline state and data age itself. */
  saysOffline?: boolean
  children: (data: T) => ReactNode
}

export function QueryBoundary<T>(props: QueryBoundaryProps<T>) {
  const { query, skeleton, isEmpty, empty, errorText, renderError, timeZone, saysOffline = false, children } = props
  if (query.data === undefined) {
    if (!query.error) return <DelayedSkeleton skeleton={skeleton} />
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
      <StaleNotice query={query} timeZone={timeZone} saysOffline={saysOffline} />
      {body}
    </>
  )
}

function DelayedSkeleton({ skeleton }: { skeleton: ReactNode }) {
  const [isLong, setIsLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), SKELETON_DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status" aria-label={t('Loading')} className={isLong ? undefined : 'invisible'}>
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
            {t('Try again')}
          </Button>
        }
      >
        <p>{description}</p>
        {requestId && <p className="mt-2 text-caption">{t('Request {requestId}', { requestId })}</p>}
      </EmptyState>
    </div>
  )
}

/** Fetched before this page load: restored from the device. */
const isFromDevice = (fetchedAt: number) => fetchedAt < performance.timeOrigin

const describeFailedRefresh = (fetchedAt: number) =>
  isFromDevice(fetchedAt) ? t('Could not refresh, offline copy') : t('Could not refresh')

type StaleNoticeProps<T> = { query: QueryLike<T>; timeZone: string | undefined; saysOffline: boolean }

function StaleNotice<T>({ query, timeZone, saysOffline }: StaleNoticeProps<T>) {
  const isOnline = useOnline()
  if (isOnline ? !query.error : saysOffline) return null
  return (
    <p role="status" className="mb-3 flex flex-wrap items-center gap-x-2 gap-y-1 text-note text-warning">
      <Icon name={isOnline ? 'alert' : 'offline'} className="size-4" />
      <span>
        {isOnline ? describeFailedRefresh(query.dataUpdatedAt) : t('Offline copy')}
        {query.dataUpdatedAt > 0 && `, ${formatAsOf(query.dataUpdatedAt, timeZone)}`}
      </span>
      {isOnline && (
        <button
          type="button"
          className="btn btn-ghost btn-sm text-warning"
          disabled={query.isFetching}
          onClick={() => void query.refetch()}
        >
          {t('Try again')}
        </button>
      )}
    </p>
  )
}

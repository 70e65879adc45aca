// Planned or finished erasure of a customer, on every page that shows them.
import { Link } from 'react-router-dom'
import type { Schema } from '@/api/client'
import { formatDate } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { useCancelErasure } from './use-cancel-erasure'

type ErasureStatus = Schema['CustomerErasureStatus']

type ErasureNoticeProps = {
  customerId: string
  erasure: ErasureStatus | null | undefined
  timeZone: string
  /** Whether the page is the customer's own, which says more. */
  isCustomerPage?: boolean
}

export function ErasureNotice({ customerId, erasure, timeZone, isCustomerPage = false }: ErasureNoticeProps) {
  if (!erasure) return null
  if (erasure.erasedAt)
    return (
      <Notice tone="info" icon="shield" title={t('Erased on {day}', { day: formatDate(erasure.erasedAt, timeZone) })}>
        <p>{t('There is nothing left to do here. Numbers and totals stay in your books, without the name.')}</p>
      </Notice>
    )
  if (erasure.hasBegun || !erasure.dueAt)
    return (
      <Notice tone="warning" icon="trash" title={t('This customer is being erased')}>
        <p>{t('You can no longer undo it.')}</p>
      </Notice>
    )
  return (
    <Notice
      tone="warning"
      icon="trash"
      title={
        erasure.isBlocked
          ? t('Erasure is waiting')
          : t('Will be erased on {day}', { day: formatDate(erasure.dueAt, timeZone) })
      }
    >
      {erasure.isBlocked && (
        <p>
          {t('Something is in the way, so it waits.')}{' '}
          {!isCustomerPage && (
            <Link to={paths.customer(customerId)} className="text-link">
              {t('See the customer record')}
            </Link>
          )}
        </p>
      )}
      <UndoErasure customerId={customerId} className="mt-2" />
    </Notice>
  )
}

/** The owner's alone. */
export function UndoErasure({ customerId, className }: { customerId: string; className?: string }) {
  const { role } = useCurrentUser()
  const isOnline = useOnline()
  const cancel = useCancelErasure(customerId)
  if (role !== 'owner') return null
  return (
    <Button
      variant="secondary"
      icon="undo"
      className={className}
      disabled={!isOnline}
      pending={cancel.isPending}
      pendingText={t('Undoing...')}
      onClick={() => cancel.mutate()}
    >
      {t('Undo')}
    </Button>
  )
}

// Personal data: export, and erasure with three days to undo.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatDate } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { usePageAction } from '@/lib/hooks/use-page-action'
import { UndoErasure } from '@/features/erasure/erasure-notice'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { EraseCustomerDialog } from '../actions/erase-dialog'
import { customersMessages } from '../messages'
import { useExportPersonalData } from '../mutations'
import { customerQueries } from '../queries'
import type { PersonalData } from '../types'
import { OtherRecords } from './other-records'

export function PrivacyCard({ id }: { id: string }) {
  const { orgId, orgTimezone } = useCurrentUser()
  const data = useQuery(customerQueries.personalData(orgId, id))
  return (
    <Card title={t('Personal data')} icon="shield">
      <QueryBoundary
        query={data}
        skeleton={<SkeletonLines lines={2} />}
        errorText={customersMessages.privacy.failed}
        timeZone={orgTimezone}
      >
        {(found) => <PrivacyActions data={found} timeZone={orgTimezone} />}
      </QueryBoundary>
    </Card>
  )
}

function PrivacyActions({ data, timeZone }: { data: PersonalData; timeZone: string }) {
  const isOnline = useOnline()
  const isBlocked = (data.blockedBy ?? null) !== null
  const [isPressed, setIsPressed] = useState(false)
  const [action, ask] = usePageAction()
  // What the customer did since postpones it: the owner decides again.
  const asksAgain = Boolean(data.waiting) && !data.hasBegun && data.blockedReason === 'erasure_blocked_by_activity'
  const isAsking = (asksAgain || (!data.waiting && !isBlocked)) && (isPressed || action === 'erase')
  const copy = useExportPersonalData(data.customerId)
  const close = () => {
    setIsPressed(false)
    if (action === 'erase') ask(undefined)
  }
  if (data.erasedAt)
    return (
      <p className="text-note text-muted">
        {t('Erased on {day}. The numbers and totals of estimates and invoices stay in your books, without the name.', {
          day: formatDate(data.erasedAt, timeZone),
        })}
      </p>
    )
  return (
    <div className="grid gap-3">
      {data.hasBegun ? (
        <p className="text-note text-warning">{t('This customer is being erased. You can no longer undo it.')}</p>
      ) : data.waiting ? (
        <div className="grid gap-2">
          <p className="text-note text-warning">
            {isBlocked
              ? t('This customer is due to be erased on {day}, but this is in the way:', {
                  day: formatDate(data.waiting.dueAt, timeZone),
                })
              : t('This customer will be erased on {day}.', { day: formatDate(data.waiting.dueAt, timeZone) })}
          </p>
          <UndoErasure customerId={data.customerId} />
        </div>
      ) : (
        <p className="text-note text-muted">
          {t('When a customer asks for their data, download a copy. When they ask you to delete it, erase them.')}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          variant="secondary"
          icon="download"
          disabled={!isOnline}
          pending={copy.isPending}
          pendingText={t('Preparing...')}
          onClick={() => copy.mutate()}
        >
          {t('Download a copy')}
        </Button>
        {(!data.waiting || asksAgain) && (
          <Button
            variant="danger"
            icon="trash"
            disabled={!isOnline || (isBlocked && !asksAgain)}
            onClick={() => setIsPressed(true)}
          >
            {asksAgain ? t('Erase anyway') : t('Erase')}
          </Button>
        )}
      </div>
      <OtherRecords records={data.otherRecords} />
      {data.blockedBy && <p className="text-note text-muted">{data.blockedBy}</p>}
      {isAsking && <EraseCustomerDialog data={data} onClose={close} />}
    </div>
  )
}

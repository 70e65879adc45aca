// Invoices of a lead or of its jobs.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router-dom'
import { formatCents } from '@/lib/format/money'
import { useOnline } from '@/lib/hooks/use-online'
import { usePageAction } from '@/lib/hooks/use-page-action'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { formatDueDate } from '../lib/due-date-text'
import { invoicesMessages } from '../messages'
import { formatInvoiceName } from '../mutations'
import { invoiceQueries } from '../queries'
import type { InvoiceSummary } from '../types'
import { InvoiceBadges } from './invoice-badges'

const NewInvoiceDialog = lazy(async () => ({
  default: (await import('../actions/new-invoice-dialog')).NewInvoiceDialog,
}))

type InvoicesCardProps = {
  leadId: string
  /** On the page of a job: new invoices belong to it. */ jobId?: string | undefined
}

export function InvoicesCard({ leadId, jobId }: InvoicesCardProps) {
  const { orgId, orgTimezone } = useCurrentUser()
  const money = useQuery(invoiceQueries.money(orgId, leadId))
  const isOnline = useOnline()
  const [isPressed, setIsPressed] = useState(false)
  const [action, ask] = usePageAction()
  const isMaking = isPressed || action === 'invoice'
  const close = () => {
    setIsPressed(false)
    if (action === 'invoice') ask(undefined)
  }
  return (
    <Card title={t('Invoices')} icon="dollar">
      <div className="grid gap-3">
        <QueryBoundary
          query={money}
          skeleton={<SkeletonLines lines={1} />}
          errorText={invoicesMessages.listFailed}
          timeZone={orgTimezone}
        >
          {({ invoices }) =>
            invoices.length === 0 ? (
              <p className="text-muted">{t('No invoice yet.')}</p>
            ) : (
              <InvoiceList invoices={invoices} />
            )
          }
        </QueryBoundary>
        <Button variant="secondary" icon="plus" disabled={!isOnline || !money.data} onClick={() => setIsPressed(true)}>
          {t('New invoice')}
        </Button>
      </div>
      {isMaking && money.data && (
        <Suspense fallback={null}>
          <NewInvoiceDialog leadId={leadId} jobId={jobId} money={money.data} onClose={close} />
        </Suspense>
      )}
    </Card>
  )
}

function InvoiceList({ invoices }: { invoices: readonly InvoiceSummary[] }) {
  return (
    <ul aria-label={t('Invoices')} className="grid gap-2">
      {invoices.map((invoice) => {
        const due = formatDueDate(invoice)
        return (
          <li
            key={invoice.id}
            className="relative grid gap-1.5 rounded-field border border-primary/22 px-3 py-2 hover:bg-primary/8"
          >
            <span className="flex flex-wrap items-baseline justify-between gap-x-3">
              <Link
                to={paths.invoice(invoice.id)}
                className="font-semibold after:absolute after:inset-0 hover:underline"
              >
                {formatInvoiceName(invoice)}
              </Link>
              <span className="font-semibold tabular-nums">{formatCents(invoice.total)}</span>
            </span>
            {due && <span className="text-note text-muted">{due}</span>}
            <span className="flex flex-wrap gap-2">
              <InvoiceBadges invoice={invoice} />
            </span>
          </li>
        )
      })}
    </ul>
  )
}

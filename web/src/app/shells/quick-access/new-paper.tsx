// A new estimate or invoice: first for whom, then the dialog that the lead's page opens too.
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { LeadPicker } from '@/features/jobs/components/lead-picker'
import { jobQueries } from '@/features/jobs/queries'
import { leadQueries } from '@/features/leads/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { QueryBoundary, type QueryLike } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'

const EstimateDialog = lazy(async () => ({
  default: (await import('@/features/leads/estimate/estimate-dialog')).EstimateDialog,
}))
const NewInvoiceDialog = lazy(async () => ({
  default: (await import('@/features/invoices/actions/new-invoice-dialog')).NewInvoiceDialog,
}))

const TITLES = { estimate: t('New estimate'), invoice: t('New invoice') } as const

type NewPaperProps = {
  record: keyof typeof TITLES
  /** The lead that was added for it. */ leadId?: string | undefined
  onAddLead: () => void
  onClose: () => void
}

export function NewPaper({ record, leadId, onAddLead, onClose }: NewPaperProps) {
  const navigate = useNavigate()
  const [chosen, setChosen] = useState(leadId)
  if (chosen !== undefined) {
    return record === 'estimate' ? (
      <NewEstimate leadId={chosen} onClose={onClose} />
    ) : (
      <NewInvoice leadId={chosen} onClose={onClose} />
    )
  }
  return (
    <Dialog open onClose={onClose} title={TITLES[record]}>
      <div className="grid gap-4">
        <p>{t('Who is it for?')}</p>
        <LeadPicker
          value=""
          error={undefined}
          onChange={(lead) => {
            if (!lead) return
            setChosen(lead.id)
            // The dialog opens above the page on which its result is shown.
            void navigate(paths.lead(lead.id))
          }}
        />
        <Button variant="secondary" icon="plus" onClick={onAddLead}>
          {t('Someone new')}
        </Button>
      </div>
    </Dialog>
  )
}

type NewPaperOfLeadProps = { leadId: string; onClose: () => void }

function NewEstimate({ leadId, onClose }: NewPaperOfLeadProps) {
  const { orgId } = useCurrentUser()
  const lead = useQuery(leadQueries.detail(orgId, leadId))
  return (
    <Loaded query={lead} title={TITLES.estimate} onClose={onClose}>
      {(data) => <EstimateDialog lead={data} onClose={onClose} />}
    </Loaded>
  )
}

function NewInvoice({ leadId, onClose }: NewPaperOfLeadProps) {
  const { orgId } = useCurrentUser()
  const money = useQuery(jobQueries.money(orgId, leadId))
  return (
    <Loaded query={money} title={TITLES.invoice} onClose={onClose}>
      {(data) => <NewInvoiceDialog leadId={leadId} jobId={undefined} money={data} onClose={onClose} />}
    </Loaded>
  )
}

type LoadedProps<T> = {
  query: QueryLike<T>
  title: string
  onClose: () => void
  children: (data: T) => ReactNode
}

/** A dialog that waits for its data; then the real one. */
function Loaded<T>({ query, title, onClose, children }: LoadedProps<T>) {
  if (query.data !== undefined) return <Suspense fallback={null}>{children(query.data)}</Suspense>
  return (
    <Dialog open onClose={onClose} title={title}>
      <QueryBoundary query={query} skeleton={<SkeletonLines lines={4} />}>
        {() => <></>}
      </QueryBoundary>
    </Dialog>
  )
}

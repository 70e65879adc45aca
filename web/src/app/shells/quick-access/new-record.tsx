// Dialog of the record that is being added.
import { lazy, Suspense, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import type { Schema } from '@/api/client'
import { paths } from '@/lib/paths'
import type { SharedCall } from '@/features/quick-add/shared-call'
import type { NewRecord } from './quick-access-store'

const AddCallDialog = lazy(async () => ({
  default: (await import('@/features/quick-add/add-call-dialog')).AddCallDialog,
}))
const AddJobDialog = lazy(async () => ({
  default: (await import('@/features/jobs/components/add-job-dialog')).AddJobDialog,
}))
const NewPaper = lazy(async () => ({ default: (await import('./new-paper')).NewPaper }))

type NewRecordDialogProps = { record: NewRecord; shared?: SharedCall | undefined; onClose: () => void }

export function NewRecordDialog({ record, shared, onClose }: NewRecordDialogProps) {
  const navigate = useNavigate()
  /** For an estimate or invoice of someone new: being typed, then added. */
  const [added, setAdded] = useState<'typing' | { leadId: string }>()
  const openAdded = (lead: Schema['LeadDetail']) => {
    void navigate(record === 'customer' ? paths.customer(lead.customerId) : paths.lead(lead.id))
    if (record === 'estimate' || record === 'invoice') setAdded({ leadId: lead.id })
    else onClose()
  }
  const isPaper = record === 'estimate' || record === 'invoice'
  return (
    <Suspense fallback={null}>
      {record === 'job' && <AddJobDialog open onClose={onClose} />}
      {(record === 'lead' || record === 'customer') && (
        <AddCallDialog record={record} shared={shared} onAdded={openAdded} onClose={onClose} />
      )}
      {isPaper && added === 'typing' && <AddCallDialog record="customer" onAdded={openAdded} onClose={onClose} />}
      {isPaper && added !== 'typing' && (
        <NewPaper
          key={added?.leadId}
          record={record}
          leadId={added?.leadId}
          onAddLead={() => setAdded('typing')}
          onClose={onClose}
        />
      )}
    </Suspense>
  )
}

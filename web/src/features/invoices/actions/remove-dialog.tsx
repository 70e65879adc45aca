import { useNavigate } from 'react-router-dom'
import { formatCents } from '@/lib/format/money'
import { paths } from '@/lib/paths'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { useRemoveDraft } from '../mutations'
import type { InvoiceView } from '../types'

export function RemoveDraftDialog({ invoice, onClose }: { invoice: InvoiceView; onClose: () => void }) {
  const navigate = useNavigate()
  const remove = useRemoveDraft(invoice.id, () => void navigate(paths.invoices, { replace: true }))
  const actions = (
    <>
      <Button variant="ghost" onClick={onClose}>
        Keep it
      </Button>
      <Button
        variant="danger"
        icon="trash"
        pending={remove.isPending}
        pendingText="Throwing away..."
        onClick={() => remove.mutate()}
      >
        Throw away
      </Button>
    </>
  )
  return (
    <Dialog open onClose={onClose} title="Throw this draft away?" actions={actions}>
      <p>
        The draft over {formatCents(invoice.total)} for {invoice.customer} is gone then. It has no number yet, so none
        will be missing.
      </p>
    </Dialog>
  )
}

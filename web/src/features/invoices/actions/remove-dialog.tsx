import { useNavigate } from 'react-router-dom'
import { formatCents } from '@/lib/format/money'
import { t } from '@/lib/i18n'
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
        {t('Keep it')}
      </Button>
      <Button
        variant="danger"
        icon="trash"
        pending={remove.isPending}
        pendingText={t('Throwing away...')}
        onClick={() => remove.mutate()}
      >
        {t('Throw away')}
      </Button>
    </>
  )
  return (
    <Dialog open onClose={onClose} title={t('Throw this draft away?')} actions={actions}>
      <p>
        {t('The draft over {amount} for {name} is gone then. It has no number yet, so none will be missing.', {
          amount: formatCents(invoice.total),
          name: invoice.customer,
        })}
      </p>
    </Dialog>
  )
}

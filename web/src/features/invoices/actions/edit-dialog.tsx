import { useState } from 'react'
import { useWatch, type UseFormReturn } from 'react-hook-form'
import { getZoneDay } from '@/lib/format/zone-time'
import { asLineItemsForm, LineItems } from '@/features/documents/line-items'
import { LINE_ITEM_LIMITS } from '@/features/documents/schema'
import { getOptionTotals } from '@/features/documents/option-totals'
import { TotalRows } from '@/features/documents/total-rows'
import { clearDraft, readDraft } from '@/features/public-form/draft'
import { PersistDraft } from '@/features/public-form/persist-draft'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextAreaField, TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { SwitchField } from '@/ui/switch-field'
import { toast } from '@/ui/toast/toast-store'
import { toDraftValues, toInvoicePatch } from '../lib/draft-values'
import { invoicesMessages as texts } from '../messages'
import { useChangeDraft } from '../mutations'
import { draftSchema, type DraftValues } from '../schema'
import type { InvoiceView } from '../types'

/** Draft key: the input survives an accidentally closed sheet while this tab is open. */
const DRAFT_KEY = 'invoice-2'
const showInvalidToast = () => toast.error(texts.invalid.title, texts.invalid.description)

export function EditInvoiceDialog({ invoice, onClose }: { invoice: InvoiceView; onClose: () => void }) {
  const { orgTimezone } = useCurrentUser()
  const change = useChangeDraft(invoice.id)
  const [initialValues] = useState(() => toDraftValues(invoice))
  const [typed] = useState(() => readDraft(DRAFT_KEY, invoice.id, initialValues))
  const [today] = useState(() => getZoneDay(orgTimezone, Date.now()))
  const giveUp = () => {
    clearDraft(DRAFT_KEY, invoice.id)
    onClose()
  }
  const save = async (values: DraftValues) => {
    const patch = toInvoicePatch(values, initialValues)
    if (Object.keys(patch).length > 0) await change.mutateAsync(patch)
    giveUp()
  }
  return (
    <Dialog open onClose={onClose} title={t('Edit draft')}>
      <Form
        label={t('Draft')}
        schema={draftSchema}
        defaultValues={typed}
        onSubmit={save}
        onFailure={ignoreFailure}
        onInvalid={showInvalidToast}
        className="grid grid-cols-[minmax(0,1fr)] gap-5"
      >
        {(form) => (
          <>
            <PersistDraft form={form} name={DRAFT_KEY} org={invoice.id} />
            <LineItems form={asLineItemsForm(form)} isForEstimate={false} />
            <InvoiceTotals form={form} />
            <TextField
              form={form}
              name="dueOn"
              type="date"
              label={t('Due')}
              min={today}
              hint={t('Left empty, as your settings say, counted from the day it is sent')}
            />
            <SwitchField
              form={form}
              name="isFinal"
              label={t('Last invoice of this work')}
              hint={t('What was agreed beyond the invoices is then asked for no more')}
            />
            <TextAreaField
              form={form}
              name="notes"
              label={t('Note to the customer')}
              rows={3}
              maxLength={LINE_ITEM_LIMITS.notes}
              hint={t('Shown on the invoice, below the price')}
            />
            <TextAreaField form={form} name="terms" label={t('Terms')} rows={3} maxLength={LINE_ITEM_LIMITS.notes} />
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={giveUp}>
                {t('Cancel')}
              </Button>
              <Button type="submit" icon="check" pending={change.isPending} pendingText={t('Saving...')}>
                {t('Save draft')}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}

function InvoiceTotals({ form }: { form: UseFormReturn<DraftValues> }) {
  // While it is shown every field is there.
  const [sums] = getOptionTotals(useWatch({ control: form.control }) as DraftValues)
  return sums ? <TotalRows sums={sums} /> : null
}

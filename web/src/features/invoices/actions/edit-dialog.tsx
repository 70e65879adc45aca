// Changes a draft: its lines, its discount, its words and its day.
import { useState } from 'react'
import { useWatch, type UseFormReturn } from 'react-hook-form'
import { dayIn } from '@/lib/format/zone-time'
import { asPaperForm, LineItems } from '@/features/paper/line-items'
import { LIMITS } from '@/features/paper/schema'
import { sumsOf } from '@/features/paper/sums'
import { TotalRows } from '@/features/paper/totals'
import { clearDraft, readDraft } from '@/features/public-form/draft'
import { KeepDraft } from '@/features/public-form/keep-draft'
import { useCurrentUser } from '@/session/use-session'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextAreaField, TextField } from '@/ui/field'
import { Form } from '@/ui/form'
import { SwitchField } from '@/ui/switch-field'
import { toast } from '@/ui/toast/toast-store'
import { draftValues, toPatch } from '../lib/draft-values'
import { invoicesMessages as texts } from '../messages'
import { useChangeDraft } from '../mutations'
import { draftSchema, type DraftValues } from '../schema'
import type { InvoiceView } from '../types'

/** Under this name what was typed survives a sheet closed by a slip of the thumb, while this tab is open. */
const DRAFT = 'invoice-2'

/** The toast of a failure is the command's; the fields show the rest. */
const said = () => undefined
const sayInvalid = () => toast.error(texts.invalid.title, texts.invalid.description)

export function EditDialog({ invoice, onClose }: { invoice: InvoiceView; onClose: () => void }) {
  const { orgTimezone } = useCurrentUser()
  const change = useChangeDraft(invoice.id)
  const [began] = useState(() => draftValues(invoice))
  const [typed] = useState(() => readDraft(DRAFT, invoice.id, began))
  const [today] = useState(() => dayIn(orgTimezone, Date.now()))
  const giveUp = () => {
    clearDraft(DRAFT, invoice.id)
    onClose()
  }
  const save = async (values: DraftValues) => {
    const patch = toPatch(values, began)
    if (Object.keys(patch).length > 0) await change.mutateAsync(patch)
    giveUp()
  }
  return (
    <Dialog open onClose={onClose} title="Edit draft">
      <Form
        label="Draft"
        schema={draftSchema}
        defaultValues={typed}
        onSubmit={save}
        onFailure={said}
        onInvalid={sayInvalid}
        className="grid grid-cols-[minmax(0,1fr)] gap-5"
      >
        {(form) => (
          <>
            <KeepDraft form={form} name={DRAFT} org={invoice.id} />
            <LineItems form={asPaperForm(form)} isOffer={false} />
            <Sums form={form} />
            <TextField
              form={form}
              name="dueOn"
              type="date"
              label="Due"
              min={today}
              hint="Left empty, as your settings say, counted from the day it is sent"
            />
            <SwitchField
              form={form}
              name="isFinal"
              label="Last invoice of this work"
              hint="What was agreed beyond the invoices is then asked for no more"
            />
            <TextAreaField
              form={form}
              name="notes"
              label="Note to the customer"
              rows={3}
              maxLength={LIMITS.notes}
              hint="Stands on the invoice, below the price"
            />
            <TextAreaField form={form} name="terms" label="Terms" rows={3} maxLength={LIMITS.notes} />
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={giveUp}>
                Cancel
              </Button>
              <Button type="submit" icon="check" pending={change.isPending} pendingText="Saving...">
                Save draft
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}

function Sums({ form }: { form: UseFormReturn<DraftValues> }) {
  // While it is shown every field is there.
  const [sums] = sumsOf(useWatch({ control: form.control }) as DraftValues)
  return sums ? <TotalRows sums={sums} /> : null
}

// Generate Estimate PDF: an amount is enough. Lines, words, a date and the ways it goes out by may be added.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import type { Schema } from '@/api/client'
import { dayIn } from '@/lib/format/zone-time'
import { readMoney } from '@/lib/read-money'
import { clearDraft, readDraft } from '@/public-form/draft'
import { KeepDraft } from '@/public-form/keep-draft'
import { useCurrentUser } from '@/session/use-session'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Disclosure } from '@/ui/disclosure'
import { TextAreaField, TextField } from '@/ui/field'
import { Form } from '@/ui/form'
import { Notice } from '@/ui/notice'
import { SwitchField } from '@/ui/switch-field'
import { toast } from '@/ui/toast/toast-store'
import { AmountField } from '@/ui/amount-field'
import { toPaper } from '@/paper/read-lines'
import { leadsMessages } from '../messages'
import { type LeadDetail, leadQueries } from '../queries'
import { estimateSchema, type EstimateValues } from '../schema'
import { emptyLine, LineItems } from './line-items'
import { useMakeEstimate, usePreviewEstimate } from './mutations'
import { continued } from './status'
import { WayFields } from '@/paper/way-fields'

type EstimateDialogProps = { lead: LeadDetail; onClose: () => void }

/** The toast of a failure is the command's; the fields show the rest. */
const said = () => undefined
const sayInvalid = () => {
  const { title, description } = leadsMessages.estimates.invalid
  toast.error(title, description)
}

function toRequest(values: EstimateValues, rates: readonly Schema['NamedTaxRate'][]) {
  const { isItemized, quotedTotal, notes, expiresOn, email, text } = values
  return {
    // The form has checked that it is one.
    ...(isItemized ? toPaper(values, rates) : { quotedTotal: readMoney(quotedTotal) ?? 0 }),
    ...(notes === '' ? {} : { notes }),
    ...(expiresOn === '' ? {} : { expiresOn }),
    send: { email, text },
  }
}

/** Under this name, and the lead's, what was typed is kept while this tab is open. */
const DRAFT = 'estimate'

function emptyOf(lead: LeadDetail): EstimateValues {
  return {
    isItemized: false, quotedTotal: '', lines: [emptyLine('')], discountKind: 'none', discount: '', notes: '', expiresOn: '', email: Boolean(lead.email), text: Boolean(lead.phone),
  }
}

export function EstimateDialog({ lead, onClose }: EstimateDialogProps) {
  const make = useMakeEstimate(lead)
  const { orgId, orgTimezone } = useCurrentUser()
  const { data: settings } = useQuery(leadQueries.estimateSettings(orgId))
  const [today] = useState(() => dayIn(orgTimezone, Date.now()))
  const send = async (values: EstimateValues) => {
    await make.mutateAsync(toRequest(values, settings?.taxRates ?? []))
    clearDraft(DRAFT, lead.id)
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title="Generate Estimate PDF">
      <Form
        label="Estimate"
        schema={estimateSchema}
        defaultValues={readDraft(DRAFT, lead.id, emptyOf(lead))}
        onSubmit={send}
        onFailure={said}
        onInvalid={sayInvalid}
        className="grid grid-cols-[minmax(0,1fr)] gap-5"
      >
        {(form) => (
          <>
            <KeepDraft form={form} name={DRAFT} org={lead.id} />
            <Continues lead={lead} />
            {form.watch('isItemized') ? <LineItems form={form} /> : <AmountField form={form} name="quotedTotal" label="Amount" isFirst />}
            <SwitchField form={form} name="isItemized" label="Line items" />
            <WayFields form={form} lead={lead} none="There is no email and no phone to send it to: the PDF is downloaded here." />
            <Disclosure summary="Add a note or another last day">
              <div className="grid gap-4 pt-2 pb-3">
                <TextAreaField form={form} name="notes" label="Note to the customer" hint="Stands on the estimate, below the price" />
                <TextField form={form} name="expiresOn" type="date" label="Good until" min={today} hint="Left empty, it is good for as long as your settings say" />
              </div>
            </Disclosure>
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>Cancel</Button>
              <PreviewButton form={form} leadId={lead.id} rates={settings?.taxRates ?? []} />
              <Button type="submit" icon="document" pending={make.isPending} pendingText="Generating...">Generate Estimate PDF</Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}

/** A piece of work has one estimate, in versions. */
function Continues({ lead }: Pick<EstimateDialogProps, 'lead'>) {
  const { orgId } = useCurrentUser()
  const { data = [] } = useQuery(leadQueries.estimates(orgId, lead.id))
  const before = continued(data)
  if (!before) return null
  return (
    <Notice tone="info" title={`A new version of ${before.number}`}>
      <p>{before.status === 'approved' ? 'That one stays approved until the customer approves the new one.' : 'That one can no longer be approved once the new one is made.'}</p>
    </Notice>
  )
}

/** The draft as a file, once what was typed can be drawn. */
function PreviewButton({ form, leadId, rates }: { form: UseFormReturn<EstimateValues>; leadId: string; rates: readonly Schema['NamedTaxRate'][] }) {
  const preview = usePreviewEstimate(leadId)
  const show = async () => {
    if (await form.trigger(undefined, { shouldFocus: true })) preview.mutate(toRequest(form.getValues(), rates))
    else sayInvalid()
  }
  return <Button variant="secondary" icon="eye" pending={preview.isPending} onClick={() => void show()}>Preview PDF</Button>
}

// Draft from the rest, a share, or an amount.
import { useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { useNavigate } from 'react-router-dom'
import { ApiError, type Schema } from '@/api/client'
import { formatCents } from '@/lib/format/money'
import { getZoneDay } from '@/lib/format/zone-time'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { parseMoney } from '@/lib/parse-money'
import { PercentOrAmountFields } from '@/features/documents/percent-or-amount-fields'
import { toPercentOrAmountRequest } from '@/features/documents/line-values'
import { useCurrentUser } from '@/features/session/use-session'
import { AmountField } from '@/ui/amount-field'
import { Button } from '@/ui/button'
import { ChoiceField } from '@/ui/choice-field'
import { Dialog } from '@/ui/dialog'
import { FieldError, TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { useCreateInvoice } from '../mutations'
import { newInvoiceSchema, type NewInvoiceValues, type BillingMode } from '../schema'
import type { NewInvoice } from '../types'

type NewInvoiceDialogProps = {
  leadId: string
  jobId: string | undefined
  money: Schema['LeadMoney']
  onClose: () => void
}

const MAX_NAME_LENGTH = 200
const SHARES = [
  { value: 'percent', label: t('Percent') },
  { value: 'amount', label: t('Dollars') },
] as const

function toRequest(
  { wish, shareKind, share, words, amount, dueOn }: NewInvoiceValues,
  { leadId, jobId }: Pick<NewInvoiceDialogProps, 'leadId' | 'jobId'>,
): NewInvoice {
  const portion = wish === 'share' ? toPercentOrAmountRequest(shareKind, share) : null
  return {
    ...(jobId === undefined ? { leadId } : { jobId }),
    ...(portion ? { share: portion } : {}),
    // The form has checked that it is an amount.
    ...(wish === 'amount' ? { lines: [{ name: words, quantity: 1, unitPrice: parseMoney(amount) ?? 0 }] } : {}),
    ...(dueOn === '' ? {} : { dueOn }),
  }
}

/** What can be billed: without an agreement a lead has nothing that could be left of it, a job at least its value. */
function billingOptions(
  { agreed, invoiced }: Schema['LeadMoney'],
  isJob: boolean,
): { value: BillingMode; label: string; hint?: string }[] {
  const isAgreed = typeof agreed === 'number'
  const left = isAgreed ? agreed - invoiced : undefined
  return [
    ...(isAgreed || isJob
      ? [
          {
            value: 'rest',
            label: invoiced > 0 ? t('What is left') : t('All of it'),
            hint: left === undefined ? t('The value of the job') : formatCents(Math.max(0, left)),
          } as const,
        ]
      : []),
    ...(isAgreed ? [{ value: 'share', label: t('A part'), hint: t('A progress invoice') } as const] : []),
    { value: 'amount', label: t('An amount'), hint: t('In your own words') },
  ]
}

/** What the server says of the lines, which this form does not show as such. */
function linesError(error: Error | null): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  return Object.entries(error.errors).find(([field]) => field.startsWith('lines'))?.[1]
}

export function NewInvoiceDialog({ leadId, jobId, money, onClose }: NewInvoiceDialogProps) {
  const { orgTimezone } = useCurrentUser()
  const navigate = useNavigate()
  const make = useCreateInvoice(jobId ?? leadId)
  const [today] = useState(() => getZoneDay(orgTimezone, Date.now()))
  const choices = billingOptions(money, jobId !== undefined)
  const linesErrorText = linesError(make.error)
  const submit = async (values: NewInvoiceValues) => {
    const { id } = await make.mutateAsync(toRequest(values, { leadId, jobId }))
    onClose()
    void navigate(paths.invoice(id))
  }
  return (
    <Dialog open onClose={onClose} title={t('New invoice')}>
      <Form
        label={t('New invoice')}
        schema={newInvoiceSchema}
        defaultValues={{
          wish: choices[0]?.value ?? 'amount',
          shareKind: 'percent',
          share: '',
          words: '',
          amount: '',
          dueOn: '',
        }}
        onSubmit={submit}
        onFailure={ignoreFailure}
        className="grid grid-cols-[minmax(0,1fr)] gap-5"
      >
        {(form) => (
          <>
            {choices.length > 1 && (
              <ChoiceField
                form={form}
                name="wish"
                label={t('What is billed')}
                choices={choices}
                className="sm:grid-cols-3"
              />
            )}
            <AmountFields form={form} />
            {linesErrorText && <FieldError>{linesErrorText}</FieldError>}
            <TextField
              form={form}
              name="dueOn"
              type="date"
              label={t('Due')}
              min={today}
              hint={t('Left empty, as your settings say, counted from the day it is sent')}
            />
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                {t('Cancel')}
              </Button>
              <Button type="submit" icon="document" pending={make.isPending} pendingText={t('Making it...')}>
                {t('Make draft')}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}

function AmountFields({ form }: { form: UseFormReturn<NewInvoiceValues> }) {
  const wish = form.watch('wish')
  if (wish === 'share') {
    return (
      <PercentOrAmountFields
        form={form}
        kind="shareKind"
        value="share"
        label={t('Part')}
        percent={t('Percent of it')}
        amount={t('Dollars of it')}
        kinds={SHARES}
      />
    )
  }
  if (wish === 'rest') return null
  return (
    <div className="grid gap-4">
      <TextField
        form={form}
        name="words"
        label={t('What for')}
        required
        maxLength={MAX_NAME_LENGTH}
        autoComplete="off"
        placeholder={t('Service call')}
      />
      <AmountField
        form={form}
        name="amount"
        label={t('Amount')}
        hint={t('More lines, tax and a discount can be added to the draft')}
      />
    </div>
  )
}

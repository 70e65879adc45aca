// Mark as Paid, with a question about partial payments.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { formatCents, formatMoney } from '@/lib/format/money'
import { getZoneDay } from '@/lib/format/zone-time'
import { ledgerMessages } from '@/features/ledger/messages'
import { paymentSchema, type PaymentValues } from '@/features/ledger/schema'
import { t } from '@/lib/i18n'
import { parseMoney } from '@/lib/parse-money'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { CheckboxField } from '@/ui/checkbox-field'
import { ChoiceField } from '@/ui/choice-field'
import { Dialog } from '@/ui/dialog'
import { TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { toast } from '@/ui/toast/toast-store'
import { AmountField } from '@/ui/amount-field'
import { leadsMessages } from '../messages'
import { type LeadMoney, leadQueries } from '../queries'
import { useRecordLeadPayment } from './mutations'
import { METHOD_CHOICES } from '@/domain/payment'
import type { LeadSummary } from '@/domain/lead'

type LeadPaymentDialogProps = { lead: Pick<LeadSummary, 'id' | 'email'>; onClose: () => void }
const showInvalidToast = () => {
  const { title, description } = ledgerMessages.invalid
  toast.error(title, description)
}

function toRequest({ amount, date, method, reference, receipt }: PaymentValues, partial: boolean) {
  return {
    // The form has checked that it is one.
    amount: parseMoney(amount) ?? 0,
    date,
    method,
    receipt,
    ...(reference === '' ? {} : { reference }),
    ...(partial ? { partial } : {}),
  }
}

export function LeadPaymentDialog({ lead, onClose }: LeadPaymentDialogProps) {
  const { orgId, orgTimezone } = useCurrentUser()
  // The question about the rest needs the amount owed.
  const money = useQuery(leadQueries.money(orgId, lead.id))
  return (
    <Dialog open onClose={onClose} title={t('Mark as Paid')}>
      <QueryBoundary query={money} errorText={leadsMessages.money.loadFailed} timeZone={orgTimezone}>
        {({ owed, owedApproved }) => (
          <PaymentForm lead={lead} owed={owed} isDebt={owed === owedApproved} onClose={onClose} />
        )}
      </QueryBoundary>
    </Dialog>
  )
}

type PaymentFormProps = LeadPaymentDialogProps &
  Pick<LeadMoney, 'owed'> & { /** Approved or invoiced. */ isDebt: boolean }

function PaymentForm({ lead, owed, isDebt, onClose }: PaymentFormProps) {
  const record = useRecordLeadPayment(lead.id)
  const { orgTimezone } = useCurrentUser()
  const [askedAbout, setAskedAbout] = useState<number>()
  const isPartial = useRef<boolean>(undefined)
  const [now] = useState(() => Date.now())
  const today = getZoneDay(orgTimezone, now)

  const submit = async (values: PaymentValues, form: UseFormReturn<PaymentValues>) => {
    const amount = parseMoney(values.amount) ?? 0
    if (amount < owed && (isPartial.current === undefined || askedAbout !== amount)) return setAskedAbout(amount)
    await record.mutateAsync(toRequest(values, isPartial.current === true))
    form.resetField('amount')
    onClose()
  }
  const decide = (partial: boolean | undefined) => () => {
    isPartial.current = partial
  }

  return (
    <Form
      label={t('Payment')}
      schema={paymentSchema}
      defaultValues={{ amount: '', date: today, method: 'check', reference: '', receipt: Boolean(lead.email) }}
      onSubmit={submit}
      onFailure={ignoreFailure}
      onInvalid={showInvalidToast}
      className="grid gap-5"
    >
      {(form) => {
        const rest =
          askedAbout !== undefined && parseMoney(form.watch('amount')) === askedAbout && askedAbout < owed
            ? owed - askedAbout
            : undefined
        return (
          <>
            <div className="grid gap-2">
              <AmountField form={form} name="amount" label={t('Amount')} isFirst />
              {owed > 0 && (
                <WholeAmount
                  label={isDebt ? t('Owed') : t('Quoted and not paid')}
                  owed={owed}
                  onPick={() => form.setValue('amount', owed.toFixed(2), { shouldDirty: true, shouldValidate: true })}
                />
              )}
            </div>
            <TextField
              form={form}
              name="date"
              type="date"
              label={t('Payment date')}
              required
              max={getZoneDay(orgTimezone, now, 1)}
            />
            <ChoiceField
              form={form}
              name="method"
              label={t('Paid by')}
              choices={METHOD_CHOICES}
              className="grid-cols-2 sm:grid-cols-3"
            />
            <TextField
              form={form}
              name="reference"
              label={t('Reference')}
              maxLength={60}
              autoComplete="off"
              placeholder={t('Check 204')}
            />
            {lead.email && (
              <CheckboxField form={form} name="receipt">
                {t('Email the receipt to {email}', { email: lead.email })}
              </CheckboxField>
            )}
            {rest !== undefined && <PartialPayment key={rest} rest={rest} owed={owed} />}
            <div className="flex flex-wrap justify-end gap-2 max-sm:*:grow">
              {rest === undefined ? (
                <Button variant="ghost" onClick={onClose}>
                  {t('Cancel')}
                </Button>
              ) : (
                <Button type="submit" pending={record.isPending} onClick={decide(true)}>
                  {t('Record partial payment')}
                </Button>
              )}
              <Button
                type="submit"
                variant={rest === undefined ? 'primary' : 'secondary'}
                icon="dollar"
                pending={record.isPending}
                pendingText={t('Recording...')}
                onClick={decide(rest === undefined ? undefined : false)}
              >
                {t('Mark as Paid')}
              </Button>
            </div>
          </>
        )
      }}
    </Form>
  )
}

function WholeAmount({ label, owed, onPick }: { label: string; owed: number; onPick: () => void }) {
  return (
    <p className="flex flex-wrap items-center justify-between gap-x-3 text-note text-muted">
      <span>
        {label}: <span className="tabular-nums">{formatMoney(owed)}</span>
      </span>
      <button type="button" className="text-link min-h-11" onClick={onPick}>
        {t('All of it')}
      </button>
    </p>
  )
}

/** What is asked before a rest is given up; it comes into sight, with the answers below it. */
function PartialPayment({ rest, owed }: { rest: number; owed: number }) {
  const questionRef = useRef<HTMLDivElement>(null)
  useEffect(() => {
    questionRef.current?.scrollIntoView({ block: 'center' })
  }, [])
  return (
    <div ref={questionRef}>
      <Notice
        tone="warning"
        title={t('{rest} of {owed} would stay open.', { rest: formatCents(rest), owed: formatCents(owed) })}
      >
        <p>{t('A partial payment leaves it open. Marked as paid, it is written off.')}</p>
      </Notice>
    </div>
  )
}

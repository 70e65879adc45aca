// The lines of an estimate while they are typed, with what they come to.
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useFieldArray, type UseFormReturn } from 'react-hook-form'
import { formatCents } from '@/lib/format/money'
import { classNames } from '@/lib/class-names'
import { useCurrentUser } from '@/session/use-session'
import { Button, IconButton } from '@/ui/button'
import { CheckboxField } from '@/ui/checkbox-field'
import { Disclosure } from '@/ui/disclosure'
import { Field, SelectField, TextField } from '@/ui/field'
import { paperTotals, toDollars } from '@/paper/paper'
import { reckonable } from '@/paper/read-lines'
import { leadQueries } from '../queries'
import type { EstimateValues, LineValues } from '../schema'

const MOST_LINES = 200

type FormProps = { form: UseFormReturn<EstimateValues> }

export const emptyLine = (taxName: string): LineValues => ({ name: '', description: '', quantity: '1', unit: '', unitPrice: '', taxName, optional: false })

export function LineItems({ form }: FormProps) {
  const { orgId } = useCurrentUser()
  const { data: settings } = useQuery(leadQueries.estimateSettings(orgId))
  const rates = settings?.taxRates ?? []
  const lines = useFieldArray({ control: form.control, name: 'lines' })
  const values = form.watch()
  const defaultTax = settings?.defaultTax ?? ''
  // The first line is there before the settings are.
  useEffect(() => {
    const [first, second] = form.getValues('lines')
    if (defaultTax !== '' && first?.name === '' && first.taxName === '' && !second) form.setValue('lines.0.taxName', defaultTax)
  }, [form, defaultTax])
  const paper = reckonable(values, rates)
  const totals = paperTotals(paper.lines, paper.discount)
  return (
    <section aria-label="Lines" className="grid gap-3">
      <ol className="grid gap-3">
        {lines.fields.map(({ id }, at) => (
          <li key={id} className="grid gap-3 rounded-field border border-primary/22 p-3">
            <LineFields form={form} at={at} taxNames={rates.map(({ name, rate }) => ({ value: name, label: `${name} (${rate} %)` }))} />
            <p className="flex min-h-12 items-center justify-between gap-3">
              <span className="font-semibold tabular-nums">{formatCents(toDollars(totals.amounts[at] ?? 0n))}</span>
              {lines.fields.length > 1 && <IconButton label={`Remove line ${at + 1}`} icon="trash" onClick={() => lines.remove(at)} />}
            </p>
          </li>
        ))}
      </ol>
      {lines.fields.length < MOST_LINES && <Button variant="secondary" icon="plus" onClick={() => lines.append(emptyLine(defaultTax))}>Add line</Button>}
      <Discount form={form} />
      <Totals totals={totals} />
    </section>
  )
}

type LineFieldsProps = FormProps & { at: number; taxNames: readonly { value: string; label: string }[] }

function LineFields({ form, at, taxNames }: LineFieldsProps) {
  return (
    <>
      <TextField form={form} name={`lines.${at}.name`} label="What" required maxLength={200} autoComplete="off" placeholder="Replace the shingles" />
      <div className="grid grid-cols-2 gap-3">
        <TextField form={form} name={`lines.${at}.quantity`} label="Quantity" required inputMode="decimal" autoComplete="off" />
        <TextField form={form} name={`lines.${at}.unitPrice`} label="Price each" required inputMode="decimal" autoComplete="off" placeholder="0.00" />
      </div>
      <Disclosure summary={taxNames.length > 0 ? 'Unit, tax and more' : 'Unit and more'}>
        <div className="grid gap-3 pt-1 pb-3">
          <div className="grid grid-cols-2 gap-3">
            <TextField form={form} name={`lines.${at}.unit`} label="Unit" maxLength={20} autoComplete="off" placeholder="each" />
            {taxNames.length > 0 && <SelectField form={form} name={`lines.${at}.taxName`} label="Tax" placeholder="No tax" options={taxNames} />}
          </div>
          <TextField form={form} name={`lines.${at}.description`} label="More about it" maxLength={4000} autoComplete="off" />
          <CheckboxField form={form} name={`lines.${at}.optional`}>Optional: the customer may add it</CheckboxField>
        </div>
      </Disclosure>
    </>
  )
}

const DISCOUNTS = [{ value: 'percent', label: 'Percent' }, { value: 'amount', label: 'Dollars' }] as const

function Discount({ form }: FormProps) {
  const kind = form.watch('discountKind')
  const error = form.getFieldState('discount', form.formState).error?.message
  return (
    <div className="grid grid-cols-2 items-start gap-3">
      <Field label="Discount" unmarked>
        {(wiring) => (
          <select className="select" {...form.register('discountKind')} {...wiring}>
            <option value="none">None</option>
            {DISCOUNTS.map(({ value, label }) => <option key={value} value={value}>{label}</option>)}
          </select>
        )}
      </Field>
      {kind !== 'none' && (
        <Field label={kind === 'percent' ? 'Percent off' : 'Dollars off'} required error={error}>
          {(wiring) => <input className="input tabular-nums" inputMode="decimal" autoComplete="off" aria-required {...form.register('discount')} {...wiring} />}
        </Field>
      )}
    </div>
  )
}

function Totals({ totals }: { totals: ReturnType<typeof paperTotals> }) {
  const rows = [
    { label: 'Subtotal', cents: totals.subtotal },
    ...(totals.discount === 0n ? [] : [{ label: 'Discount', cents: -totals.discount }]),
    ...totals.taxes.map(({ name, cents }) => ({ label: name, cents })),
    { label: 'Total', cents: totals.total, isMain: true },
  ]
  return (
    <dl aria-live="polite" className="grid gap-1 tabular-nums">
      {rows.map(({ label, cents, isMain = false }) => (
        <div key={label} className={classNames('flex justify-between gap-4', isMain ? 'border-t border-primary/22 pt-1 text-crew font-semibold' : 'text-note text-muted')}>
          <dt>{label}</dt>
          <dd>{formatCents(toDollars(cents))}</dd>
        </div>
      ))}
    </dl>
  )
}

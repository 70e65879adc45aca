import { Link } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Card } from '@/ui/card'
import { ChoiceField } from '@/ui/choice-field'
import { TextAreaField, TextField } from '@/ui/field'
import { NumberField } from '@/ui/number-field'
import { SwitchField } from '@/ui/switch-field'
import { SettingsForm } from '../components/settings-form'
import { useSaveSettings } from '../mutations'
import type { InvoiceSettings, InvoiceSettingsPatch } from '../types'
import {
  INVOICING_LIMITS as LIMITS,
  invoicingSchema,
  type InvoicingValues,
  parseReminderDays,
} from './invoice-settings-schema'

const ON_COMPLETION = [
  { value: 'draft', label: t('Draft its invoice'), hint: t('You look it over and send it') },
  { value: 'send', label: t('Send its invoice'), hint: t('Right away, automatically') },
] as const

function toValues({
  prefix,
  termsDays,
  onCompletion,
  howToPay,
  dunning,
  dunningDays,
  receipts,
}: InvoiceSettings): InvoicingValues {
  return { prefix, termsDays, onCompletion, howToPay, dunning, dunningDays: dunningDays.join(', '), receipts }
}

function toPatch({ dunningDays, ...others }: Partial<InvoicingValues>): InvoiceSettingsPatch {
  return { ...others, ...(dunningDays === undefined ? {} : { dunningDays: parseReminderDays(dunningDays) ?? [] }) }
}

export function InvoiceSettingsCard({ saved }: { saved: InvoiceSettings }) {
  const save = useSaveSettings()
  const onSave = async (changed: Partial<InvoicingValues>) =>
    toValues((await save.mutateAsync({ invoicing: toPatch(changed) })).invoicing)
  return (
    <Card title={t('Invoices and payment')} icon="dollar">
      <SettingsForm
        label={t('Invoices and payment')}
        part="invoicing"
        schema={invoicingSchema}
        saved={toValues(saved)}
        onSave={onSave}
      >
        {(form) => (
          <>
            <div className="grid gap-5 sm:grid-cols-2">
              <TextField
                form={form}
                name="prefix"
                label={t('Before the number')}
                maxLength={LIMITS.prefix}
                autoComplete="off"
                autoCapitalize="characters"
                hint={t('As in INV-1001')}
              />
              <NumberField
                form={form}
                name="termsDays"
                label={t('Due after')}
                unit={t('days')}
                min={LIMITS.termsDays[0]}
                max={LIMITS.termsDays[1]}
                hint={t('0 means on the day it is sent')}
              />
            </div>
            <TextAreaField
              form={form}
              name="howToPay"
              label={t('How to pay')}
              rows={2}
              maxLength={LIMITS.howToPay}
              hint={t('Shown on every invoice: who checks are made out to, where they go')}
            />
            <ChoiceField
              form={form}
              name="onCompletion"
              label={t('When a job is done')}
              choices={ON_COMPLETION}
              className="sm:grid-cols-2"
            />
            <SwitchField
              form={form}
              name="receipts"
              label={t('Email a receipt')}
              hint={t('To the customer who pays, if there is an email')}
            />
            <SwitchField
              form={form}
              name="dunning"
              label={t('Remind of open invoices')}
              hint={
                <>
                  {t('Only of invoices sent from then on. Older ones are ticked one by one under')}{' '}
                  <Link to={paths.invoices} className="text-link">
                    {t('Invoices')}
                  </Link>
                  {t(', Reminders.')}
                </>
              }
            />
            {form.watch('dunning') && (
              <TextField
                form={form}
                name="dunningDays"
                label={t('On these days')}
                autoComplete="off"
                hint={t('Counted from the day it is due: -3 is three days before, 0 the day itself')}
              />
            )}
          </>
        )}
      </SettingsForm>
    </Card>
  )
}

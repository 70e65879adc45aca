import { formatPhone } from '@/lib/format/phone'
import { NameInMessages } from '@/features/trust/trust-card'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { TextAreaField, TextField } from '@/ui/field'
import { SettingsForm } from '../components/settings-form'
import { TRADES } from '../lib/trades'
import { useSaveOrganization } from '../mutations'
import { organizationSchema, type OrganizationValues } from '../schema'
import type { Organization, OrganizationPatch } from '../types'
import { TimezoneField } from './timezone-field'

function toValues(organization: Organization): OrganizationValues {
  const { name, industry, phone, reviewLink, bookingLink, timezone, postalAddress } = organization
  return {
    name,
    timezone,
    industry: industry ?? '',
    phone: phone ? formatPhone(phone) : '',
    reviewLink: reviewLink ?? '',
    bookingLink: bookingLink ?? '',
    postalAddress: postalAddress ?? '',
  }
}

/** What is left empty is taken away. */
function toPatch({ name, timezone, ...optional }: Partial<OrganizationValues>): OrganizationPatch {
  const emptied = Object.fromEntries(
    Object.entries(optional).map(([field, value]) => [field, value === '' ? null : value]),
  )
  return { ...emptied, ...(name === undefined ? {} : { name }), ...(timezone === undefined ? {} : { timezone }) }
}

export function BusinessCard({ organization }: { organization: Organization }) {
  const save = useSaveOrganization()
  return (
    <Card title={t('Business info')} icon="briefcase">
      <SettingsForm
        label={t('Business info')}
        schema={organizationSchema}
        saved={toValues(organization)}
        onSave={async (changed) => toValues(await save.mutateAsync(toPatch(changed)))}
      >
        {(form) => (
          <>
            <TextField
              form={form}
              name="name"
              label={t('Business name')}
              required
              autoComplete="organization"
              hint={t('As your customers know it. Every first message says it.')}
            />
            <NameInMessages />
            <TextField
              form={form}
              name="industry"
              label={t('Industry')}
              list="trades"
              hint={t('Your trade, in your words')}
            />
            <datalist id="trades">
              {TRADES.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </datalist>
            <TextField
              form={form}
              name="phone"
              label={t('Phone')}
              type="tel"
              inputMode="tel"
              autoComplete="tel"
              hint={t('The number customers may call back')}
            />
            <TextField
              form={form}
              name="bookingLink"
              label={t('Booking link')}
              type="url"
              inputMode="url"
              autoCapitalize="none"
              autoComplete="off"
              placeholder="https://"
              hint={t(
                'Where a customer picks a time, when that is elsewhere. Texts carry it in place of our own booking page.',
              )}
            />
            <TextField
              form={form}
              name="reviewLink"
              label={t('Review link')}
              type="url"
              inputMode="url"
              autoCapitalize="none"
              autoComplete="off"
              placeholder="https://"
              hint={t('Where a customer leaves a public review, Google for one. Yelp forbids asking for reviews.')}
            />
            <TimezoneField form={form} name="timezone" />
            <TextAreaField
              form={form}
              name="postalAddress"
              label={t('Postal address')}
              rows={2}
              autoComplete="street-address"
              hint={t('Shown at the bottom of your emails, as the law requires')}
            />
          </>
        )}
      </SettingsForm>
    </Card>
  )
}
